//! Bounds of requests about documents.

use kimberly_proto::v1 as pb;
use kimberly_proto::v1::ingest_document_request::Original;

use super::{Judge, user};

#[tokio::test]
async fn documents() {
    let judge = Judge::new().await;
    let of = |text: String| pb::IngestDocumentRequest {
        user_id: user(),
        original: Some(Original::Text(text)),
        ..Default::default()
    };
    let words = |bytes: usize| "word ".repeat(bytes / 5);
    judge.holds("text", "text", of(words(1_000_000)), of(words(1_000_005))).await;
    judge.refuses("nothing to read", "text", of(" \n ".to_owned())).await;
    judge.refuses("no text", "text", pb::IngestDocumentRequest { original: None, ..of(String::new()) }).await;
    let titled = |bytes: usize| pb::IngestDocumentRequest { title: "t".repeat(bytes), ..of(words(10)) };
    judge.holds("title", "title", titled(512), titled(513)).await;
    let named = |bytes: usize| pb::IngestDocumentRequest { name: "n".repeat(bytes), ..of(words(15)) };
    judge.holds("name", "name", named(1_024), named(1_025)).await;
    let tagged = |tags: usize| pb::IngestDocumentRequest {
        tags: (0..tags).map(|tag| format!("t{tag}")).collect(),
        ..of(words(20))
    };
    judge.holds("tags", "tags", tagged(64), tagged(65)).await;
    let within = |bytes: usize| pb::IngestDocumentRequest { namespace: "n".repeat(bytes), ..of(words(25)) };
    judge.holds("namespace", "namespace", within(64), within(65)).await;
    let from = |bytes: usize| pb::IngestDocumentRequest { source_ref: "s".repeat(bytes), ..of(words(30)) };
    judge.holds("source", "source_ref", from(1_024), from(1_025)).await;
    let kind = pb::IngestDocumentRequest { media_type: "application/pdf".to_owned(), ..of(words(10)) };
    judge.refuses("no text of that kind", "media_type", kind).await;
    let id = Some(Original::AttachmentId("att".to_owned()));
    judge
        .refuses("no attachment", "attachment_id", pb::IngestDocumentRequest { original: id, ..of(String::new()) })
        .await;
    let page = |id: &str, page_size| pb::ListPassagesRequest {
        user_id: user(),
        id: id.to_owned(),
        page_size,
        page_token: String::new(),
    };
    judge.refuses("no document", "id", page("mem", 0)).await;
    judge.refuses("page", "page_size", page("mem_01980000-0000-7000-8000-000000000000", 1_001)).await;
}
