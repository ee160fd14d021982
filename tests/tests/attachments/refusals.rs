//! Refused calls leave nothing behind.

use kimberly_proto::v1 as pb;
use kimberly_proto::v1::upload_attachment_request::Message;
use kimberly_tests::attachments::{download, list, messages, noise, start, upload};
use kimberly_tests::{System, field_paths, reason};
use tonic::{Code, Status};
use tonic_types::StatusExt as _;

use super::files;

const LIMITS: [(&str, &str); 3] = [
    ("KIMBERLY_ATTACHMENTS__MAX_SIZE", "300KiB"),
    ("KIMBERLY_ATTACHMENTS__ALLOWANCE", "400KiB"),
    ("KIMBERLY_ATTACHMENTS__TYPES", "[\"image/*\", \"application/x-test\"]"),
];

fn is_about(status: &Status, field: &str) -> bool {
    status.code() == Code::InvalidArgument && field_paths(status) == [field]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_not_as_announced_or_allowed_is_refused_and_leaves_nothing() {
    let system = System::start_with(&LIMITS).await;
    let clients = system.clients();
    let refused = |said: pb::AttachmentStart, length: usize| {
        let clients = clients.clone();
        async move { upload(&clients, said, &noise(1, length)).await.expect_err("it is refused") }
    };
    let of = || start("ada", "name");
    let wrong_hash = pb::AttachmentStart { sha256: "0".repeat(64), ..of() };
    assert!(is_about(&refused(wrong_hash, 1_000).await, "start.sha256"));
    let no_hash = pb::AttachmentStart { sha256: "xyz".to_owned(), ..of() };
    assert!(is_about(&refused(no_hash, 1_000).await, "start.sha256"));
    let fewer = pb::AttachmentStart { size_bytes: Some(1_001), ..of() };
    assert!(is_about(&refused(fewer, 1_000).await, "start.size_bytes"));
    let more = pb::AttachmentStart { size_bytes: Some(999), ..of() };
    assert!(is_about(&refused(more, 1_000).await, "start.size_bytes"));
    let negative = pb::AttachmentStart { size_bytes: Some(-1), ..of() };
    assert!(is_about(&refused(negative, 0).await, "start.size_bytes"));
    let too_large = pb::AttachmentStart { size_bytes: Some(1 << 40), ..of() };
    assert!(is_about(&refused(too_large, 0).await, "start.size_bytes"));
    assert!(is_about(&refused(of(), 500_000).await, "piece"), "it is too large, unannounced");
    let kind = pb::AttachmentStart { media_type: "text/html".to_owned(), ..of() };
    let status = refused(kind, 10).await;
    assert!(is_about(&status, "start.media_type") && status.message().contains("image/*"), "{status:?}");
    let name = pb::AttachmentStart { name: "n".repeat(256), ..of() };
    assert!(is_about(&refused(name, 10).await, "start.name"));
    let memory = pb::AttachmentStart { memory_id: format!("mem_{}", uuid::Uuid::from_u128(7)), ..of() };
    let status = refused(memory, 10).await;
    assert_eq!((status.code(), reason(&status)), (Code::NotFound, "MEMORY_NOT_FOUND".to_owned()));
    assert_eq!((list(&clients, "ada", "").await, files(&system)), (Vec::new(), Vec::new()));
    let image = pb::AttachmentStart { media_type: "Image/PNG".to_owned(), ..of() };
    assert_eq!(upload(&clients, image, &[1]).await.expect("it is taken").media_type, "image/png");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_does_not_fit_the_allowance_is_refused_with_its_figures() {
    let system = System::start_with(&LIMITS).await;
    let clients = system.clients();
    upload(&clients, start("ada", "one"), &noise(1, 250_000)).await.expect("there is room");
    let announced = pb::AttachmentStart { size_bytes: Some(200_000), ..start("ada", "two") };
    for said in [announced, start("ada", "two")] {
        let refused = upload(&clients, said, &noise(2, 200_000)).await.expect_err("it is refused");
        assert_eq!((refused.code(), reason(&refused)), (Code::ResourceExhausted, "QUOTA_EXCEEDED".to_owned()));
        let failure = refused.get_details_quota_failure().expect("a quota failure");
        let of = &failure.violations[0];
        assert_eq!(of.quota_dimensions["tier"], "attachments");
        assert_eq!((of.quota_dimensions["used"].as_str(), of.quota_value), ("250000", 400 << 10));
    }
    assert_eq!(files(&system).len(), 1);
    upload(&clients, start("bob", "bobs own"), &noise(2, 200_000)).await.expect("others have room");
    upload(&clients, start("ada", "less"), &noise(3, 150_000)).await.expect("there is room for less");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn messages_come_in_their_order() {
    let system = System::start().await;
    let clients = system.clients();
    let send = |requests: Vec<pb::UploadAttachmentRequest>| {
        let mut attachments = clients.attachments.clone();
        async move {
            let mut answers = attachments.upload_attachment(tokio_stream::iter(requests)).await?.into_inner();
            answers.message().await
        }
    };
    let all = messages(start("ada", "name"), &noise(1, 10));
    let empty = pb::UploadAttachmentRequest { message: None };
    let large = pb::UploadAttachmentRequest { message: Some(Message::Piece(vec![0; (1 << 20) + 1])) };
    for wrong in [vec![all[1].clone()], vec![], vec![all[0].clone(), all[0].clone()], vec![all[0].clone(), empty]] {
        let refused = send(wrong).await.expect_err("it is refused");
        assert_eq!((refused.code(), reason(&refused)), (Code::InvalidArgument, "STREAM_ORDER".to_owned()));
    }
    let refused = send(vec![all[0].clone(), large]).await.expect_err("it is refused");
    assert!(is_about(&refused, "piece"), "{refused:?}");
    let attachment = upload(&clients, start("ada", "name"), &noise(1, 10)).await.expect("it is taken");
    for offset in [11, 1 << 40] {
        let refused = download(&clients, "ada", &attachment.id, offset).await.expect_err("it is refused");
        assert_eq!((refused.code(), reason(&refused)), (Code::FailedPrecondition, "WRONG_STATE".to_owned()));
    }
    let refused = download(&clients, "bob", &attachment.id, 0).await.expect_err("another user's");
    assert_eq!((refused.code(), reason(&refused)), (Code::NotFound, "ATTACHMENT_NOT_FOUND".to_owned()));
}
