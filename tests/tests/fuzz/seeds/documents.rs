//! Requests about documents.

use kimberly_proto::v1 as pb;

use super::{Seed, USER, seed};

/// Seeds of all rpcs of `DocumentService`.
pub(super) fn seeds(memory: &str) -> Vec<Seed> {
    let text = "<h1>Leave</h1><p>Staff have 25 days.</p>".to_owned();
    let ingest = pb::IngestDocumentRequest {
        user_id: USER.to_owned(),
        original: Some(pb::ingest_document_request::Original::Text(text)),
        title: "Leave".to_owned(),
        media_type: "text/html".to_owned(),
        name: "handbook/leave.html".to_owned(),
        namespace: "work".to_owned(),
        tags: vec!["hr".to_owned()],
        sensitive: false,
        consent_id: String::new(),
        source_ref: "https://example.org/leave".to_owned(),
        occurred_at: Some(prost_types::Timestamp { seconds: 1_700_000_000, nanos: 0 }),
        request_id: "a document".to_owned(),
    };
    let list = pb::ListPassagesRequest {
        user_id: USER.to_owned(),
        id: memory.to_owned(),
        page_size: 3,
        page_token: String::new(),
    };
    vec![
        seed("/kimberly.v1.DocumentService/IngestDocument", &ingest),
        seed("/kimberly.v1.DocumentService/ListPassages", &list),
    ]
}
