//! Uploads and downloads.

use kimberly_proto::v1 as pb;
use kimberly_proto::v1::upload_attachment_request::Message;
use tonic::Status;

use crate::Clients;

/// Bytes per piece of an upload.
const PIECE: usize = 200_000;

/// The first message of an upload.
pub fn start(user: &str, name: &str) -> pb::AttachmentStart {
    let (user_id, name) = (user.to_owned(), name.to_owned());
    pb::AttachmentStart { user_id, name, media_type: "application/x-test".to_owned(), ..Default::default() }
}

/// The messages of an upload.
pub fn messages(start: pb::AttachmentStart, bytes: &[u8]) -> Vec<pb::UploadAttachmentRequest> {
    let pieces = bytes.chunks(PIECE).map(|piece| Message::Piece(piece.to_vec()));
    let messages = std::iter::once(Message::Start(start)).chain(pieces);
    messages.map(|message| pb::UploadAttachmentRequest { message: Some(message) }).collect()
}

/// Uploads a file.
pub async fn upload(clients: &Clients, start: pb::AttachmentStart, bytes: &[u8]) -> Result<pb::Attachment, Status> {
    let requests = tokio_stream::iter(messages(start, bytes));
    let mut answers = clients.clone().attachments.upload_attachment(requests).await?.into_inner();
    let answer = answers.message().await?.ok_or_else(|| Status::internal("an upload ended without an answer"))?;
    assert!(answers.message().await?.is_none(), "an upload answers once");
    answer.attachment.ok_or_else(|| Status::internal("an upload answered without an attachment"))
}

/// The bytes of an attachment from `offset` on.
pub async fn download(clients: &Clients, user: &str, id: &str, offset: usize) -> Result<Vec<u8>, Status> {
    let offset = i64::try_from(offset).expect("an offset is small");
    let request = pb::DownloadAttachmentRequest { user_id: user.to_owned(), id: id.to_owned(), offset };
    let mut answers = clients.clone().attachments.download_attachment(request).await?.into_inner();
    let (mut bytes, mut next, mut first) = (Vec::new(), offset, true);
    while let Some(answer) = answers.message().await? {
        assert_eq!((answer.attachment.is_some(), answer.offset), (first, next), "pieces follow each other");
        next += i64::try_from(answer.piece.len()).expect("a piece is small");
        bytes.extend_from_slice(&answer.piece);
        first = false;
    }
    Ok(bytes)
}

/// The attachments of one memory, or all.
pub async fn list(clients: &Clients, user: &str, memory: &str) -> Vec<pb::Attachment> {
    let (user_id, memory_id) = (user.to_owned(), memory.to_owned());
    let request = pb::ListAttachmentsRequest { user_id, memory_id, page_size: 1_000, page_token: String::new() };
    let page = clients.clone().attachments.list_attachments(request).await.expect("attachments are listed");
    page.into_inner().attachments
}

/// Incompressible bytes, the same for the same seed.
pub fn noise(seed: u64, length: usize) -> Vec<u8> {
    use rand::{RngCore as _, SeedableRng as _};
    let mut bytes = vec![0; length];
    rand::rngs::StdRng::seed_from_u64(seed).fill_bytes(&mut bytes);
    bytes
}
