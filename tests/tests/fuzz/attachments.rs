//! Valid requests about attachments: uploads with either the piece or the start mutated.

use kimberly_proto::v1 as pb;
use kimberly_tests::attachments::{messages, start as of};
use kimberly_tests::{System, attachments};
use prost::Message as _;

use crate::fuzz::seeds::{Answers, Seed, USER, seed};

const UPLOAD: &str = "/kimberly.v1.AttachmentService/UploadAttachment";
const IMPORT: &str = "/kimberly.v1.AttachmentService/ImportAttachment";

/// Seeds of all rpcs about attachments of this memory.
pub(crate) async fn all(system: &System, memory: &str) -> Vec<Seed> {
    let said = pb::AttachmentStart { memory_id: memory.to_owned(), ..of(USER, "a picture") };
    let attachment = attachments::upload(&system.clients(), said, b"pixels").await.expect("it is taken");
    let (user_id, memory_id, id) = (USER.to_owned(), memory.to_owned(), attachment.id.clone());
    let export = pb::ExportAttachmentsRequest { user_id: user_id.clone(), cursor: String::new() };
    let exported = pb::ImportAttachmentStart { user_id: user_id.clone(), attachment: Some(attachment) };
    let exported = pb::import_attachment_request::Message::Start(exported);
    let exported = pb::ImportAttachmentRequest { message: Some(exported) };
    let call = |method: &'static str, body: Vec<u8>| Seed { method, opening: None, body, answers: Answers::First };
    let list = pb::ListAttachmentsRequest {
        user_id: user_id.clone(),
        memory_id: memory_id.clone(),
        page_size: 10,
        page_token: String::new(),
    };
    let get = pb::GetAttachmentRequest { user_id: user_id.clone(), id: id.clone() };
    let download = pb::DownloadAttachmentRequest { user_id: user_id.clone(), id: id.clone(), offset: 2 };
    let attach = pb::AttachToMemoryRequest { user_id: user_id.clone(), memory_id: memory_id.clone(), id: id.clone() };
    let detach = pb::DetachFromMemoryRequest { user_id, memory_id, id };
    let piece = messages(of(USER, ""), b"pixels").pop().unwrap_or_default().encode_to_vec();
    vec![
        call(UPLOAD, start()),
        Seed { opening: Some(start), ..call(UPLOAD, piece) },
        call("/kimberly.v1.AttachmentService/DownloadAttachment", download.encode_to_vec()),
        call("/kimberly.v1.AttachmentService/ExportAttachments", export.encode_to_vec()),
        call(IMPORT, exported.encode_to_vec()),
        seed("/kimberly.v1.AttachmentService/GetAttachment", &get),
        seed("/kimberly.v1.AttachmentService/ListAttachments", &list),
        seed("/kimberly.v1.AttachmentService/AttachToMemory", &attach),
        seed("/kimberly.v1.AttachmentService/DetachFromMemory", &detach),
    ]
}

fn start() -> Vec<u8> {
    let said = pb::AttachmentStart { sha256: "0".repeat(64), size_bytes: Some(6), ..of(USER, "a picture") };
    messages(said, &[]).pop().unwrap_or_default().encode_to_vec()
}
