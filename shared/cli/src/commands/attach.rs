//! `kimberly attach`: takes a file in.

use std::io;
use std::path::{Path, PathBuf};

use futures::{Stream, stream};
use kimberly_core::bounds::MAX_ATTACHMENT_PIECE_BYTES;
use kimberly_proto::v1;
use kimberly_proto::v1::upload_attachment_request::Message;
use sha2::{Digest as _, Sha256};
use tokio::fs::File;
use tokio::io::AsyncReadExt as _;
use tokio::sync::mpsc;

use crate::client::Client;
use crate::commands::attachments::said;
use crate::context::Context;
use crate::error::{CliError, CliResult};
use crate::ids::Kind;
use crate::text::hex;
use crate::{ids, json};

/// Size of an upload chunk, in bytes.
const PIECE: usize = MAX_ATTACHMENT_PIECE_BYTES / 4;
/// Chunks read ahead of the network.
const AHEAD: usize = 2;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The file
    file: PathBuf,
    /// The memory to attach it to; without one it is erased after a day unless it is attached by then
    #[arg(long, value_name = "ID")]
    memory: Option<String>,
    /// Its name [default: the file's name]
    #[arg(long)]
    name: Option<String>,
    /// Its media type, such as image/png [default: guessed from the file's extension]
    #[arg(long = "type", value_name = "TYPE")]
    media_type: Option<String>,
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        let client = context.connect().await?;
        let memory_id = ids::one(context, &client, Kind::Memory, self.memory.unwrap_or_default()).await?;
        let start = v1::AttachmentStart {
            user_id: context.user.clone(),
            media_type: self.media_type.unwrap_or_default(),
            name: self.name.unwrap_or_default(),
            memory_id,
            ..v1::AttachmentStart::default()
        };
        let answer = upload(&client, &self.file, start).await?;
        context.out.answer(|| json::of(&answer), || said(&answer.attachment.clone().unwrap_or_default()))
    }
}

/// Uploads a file; derives fields that `start` leaves empty from the file.
pub(crate) async fn upload(
    client: &Client,
    path: &Path,
    mut start: v1::AttachmentStart,
) -> CliResult<v1::UploadAttachmentResponse> {
    let file = open(path).await?;
    if start.name.is_empty() {
        start.name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    }
    if start.media_type.is_empty() {
        guessed(path).clone_into(&mut start.media_type);
    }
    // The file is read twice: with size and hash the server stores exactly these bytes or nothing.
    let (size_bytes, sha256) = hash(file, path).await?;
    (start.size_bytes, start.sha256) = (Some(size_bytes), sha256);
    let (sender, receiver) = mpsc::channel(AHEAD);
    let sent = path.to_owned();
    let sending = tokio::spawn(async move { send(&sent, start, sender).await });
    let answers = client.attachments().upload_attachment(received(receiver)).await?;
    let answer = answers.into_inner().message().await;
    // A local read error explains a failed upload better than the server's refusal.
    if let Ok(Err(unread)) = sending.await {
        return Err(unread);
    }
    Ok(answer?.unwrap_or_default())
}

async fn open(path: &Path) -> CliResult<File> {
    let opened = File::open(path).await.map_err(|error| unreadable(path, &error))?;
    let is_file = opened.metadata().await.map_err(|error| unreadable(path, &error))?.is_file();
    if is_file { Ok(opened) } else { Err(CliError::usage(format!("{} is not a file", path.display()))) }
}

async fn hash(mut file: File, path: &Path) -> CliResult<(i64, String)> {
    let (mut hasher, mut bytes, mut size) = (Sha256::new(), vec![0; PIECE], 0_i64);
    loop {
        let read = file.read(&mut bytes).await.map_err(|error| unreadable(path, &error))?;
        if read == 0 {
            break;
        }
        hasher.update(bytes.get(..read).unwrap_or_default());
        size = size.saturating_add(i64::try_from(read).unwrap_or(i64::MAX));
    }
    Ok((size, hex(hasher)))
}

/// Converts a channel to a stream.
fn received<T: Send + 'static>(receiver: mpsc::Receiver<T>) -> impl Stream<Item = T> + Send + 'static {
    stream::unfold(receiver, async |mut receiver| receiver.recv().await.map(|message| (message, receiver)))
}

/// Sends the file until its end or until the server stops receiving.
async fn send(path: &Path, start: v1::AttachmentStart, sender: mpsc::Sender<v1::UploadAttachmentRequest>) -> CliResult {
    let mut file = open(path).await?;
    let mut message = Message::Start(start);
    loop {
        if sender.send(v1::UploadAttachmentRequest { message: Some(message) }).await.is_err() {
            return Ok(());
        }
        let mut piece = vec![0; PIECE];
        let read = file.read(&mut piece).await.map_err(|error| unreadable(path, &error))?;
        if read == 0 {
            return Ok(());
        }
        piece.truncate(read);
        message = Message::Piece(piece);
    }
}

fn unreadable(path: &Path, error: &io::Error) -> CliError {
    CliError::usage(format!("{} cannot be read: {error}", path.display()))
}

/// Returns the media type for a file extension; empty if it is unknown here.
pub(crate) fn guessed(path: &Path) -> &'static str {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    match ending.as_str() {
        "csv" => "text/csv",
        "gif" => "image/gif",
        "htm" | "html" => "text/html",
        "jpeg" | "jpg" => "image/jpeg",
        "json" => "application/json",
        "md" => "text/markdown",
        "mp3" => "audio/mpeg",
        "mp4" => "video/mp4",
        "pdf" => "application/pdf",
        "png" => "image/png",
        "svg" => "image/svg+xml",
        "txt" => "text/plain",
        "wav" => "audio/wav",
        "webp" => "image/webp",
        "zip" => "application/zip",
        _ => "",
    }
}
