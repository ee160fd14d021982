//! Converts documents and passages.

use kimberly_core::documents::{MediaType, Passage};
use kimberly_core::memory::{MemoryDraft, Metadata};
use kimberly_core::usecases::documents::{IngestInput, Original};
use kimberly_core::{AttachmentId, Error, Result};
use kimberly_proto::v1;
use kimberly_proto::v1::ingest_document_request as request;

use super::problems::Problems;
use super::{int32, text, time};

/// Converts a document to ingest. The domain checks the bounds.
pub fn ingest(raw: v1::IngestDocumentRequest, traceparent: Option<String>) -> Result<IngestInput> {
    let mut problems = Problems::default();
    let original = match raw.original {
        Some(request::Original::Text(text)) => Some(Original::Text(text)),
        Some(request::Original::AttachmentId(id)) => {
            problems.absorb(AttachmentId::parse("attachment_id", &id)).map(Original::Attachment)
        }
        None => {
            problems.add("text", "is unset, and so is attachment_id; set one of them");
            None
        }
    };
    let metadata = Metadata { tags: raw.tags, sensitive: raw.sensitive, ..Metadata::default() };
    let draft = MemoryDraft {
        metadata,
        namespace: raw.namespace,
        name: text(raw.name),
        source_ref: text(raw.source_ref),
        consent_id: problems.absorb(super::references::consent_id("consent_id", &raw.consent_id)).flatten(),
        occurred_at: problems.take("occurred_at", time::optional_timestamp(raw.occurred_at)),
        ..MemoryDraft::default()
    };
    let media_type = problems.absorb(media_type(&raw.media_type)).flatten();
    let request_id = raw.request_id;
    let original = original.unwrap_or(Original::Text(String::new()));
    problems.finish(IngestInput { original, title: raw.title, media_type, draft, request_id, traceparent })
}

fn media_type(raw: &str) -> Result<Option<MediaType>> {
    if raw.is_empty() {
        return Ok(None);
    }
    MediaType::from_name(raw).map(Some).ok_or_else(|| {
        let names: Vec<_> = MediaType::ALL.iter().map(|one| one.name()).collect();
        Error::invalid("media_type", format!("is {raw:?}; {} are allowed", names.join(", ")))
    })
}

/// Converts a passage to the contract. Texts have at most 10 MiB, so positions fit.
pub fn passage(passage: Passage) -> v1::Passage {
    v1::Passage {
        document_id: passage.document.to_string(),
        position: int32(passage.position),
        start: int32(passage.span.start),
        end: int32(passage.span.end),
        text: passage.text,
    }
}
