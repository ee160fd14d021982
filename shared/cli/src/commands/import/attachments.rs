//! The attachments of an archive, sent after its memories: one call each, which needs no bytes if the server has the
//! attachment already. So an interrupted or repeated import continues where it was.

use futures::{Stream, stream};
use kimberly_archive::Reader;
use kimberly_proto::v1;
use kimberly_proto::v1::import_attachment_request::Message;
use tokio::sync::mpsc;
use tonic::Status;
use tonic_types::StatusExt as _;

use super::archive::{Open, next_attachment};
use super::items::Items;
use super::load::Load;
use super::source::Source;
use crate::client::Client;
use crate::error::{CliError, CliResult};
use crate::patience::Patience;

/// Size of an upload chunk, in bytes.
const PIECE: usize = 256 << 10;
/// Chunks read ahead of the network.
const AHEAD: usize = 2;
/// Maximum refusals shown one by one.
const SHOWN: usize = 10;
/// Reasons for which the server refuses one attachment but may accept the next.
const ITS_OWN: [&str; 3] = ["INVALID_FIELD", "QUOTA_EXCEEDED", "LIMIT_REACHED"];

/// The results of sending attachments.
#[derive(Debug, Default)]
pub(super) struct Attached {
    /// Attachments stored by this command.
    pub(super) stored: u64,
    /// Attachments that the server had already.
    pub(super) known: u64,
    /// Attachments without any existing memory.
    pub(super) left_out: u64,
    /// Attachments that the server refused.
    pub(super) refused: u64,
    /// Reasons of the first refusals.
    pub(super) complaints: Vec<String>,
}

/// The result of one attachment.
enum Outcome {
    Answered(v1::AttachmentImport),
    Refused(CliError),
}

/// Sends all attachments of a user; `attached` has the results, also after a failure.
pub(super) async fn send(client: &Client, load: &Load, attached: &mut Attached) -> CliResult {
    let mut patience = Patience::default();
    let Items::Archive(file) = &load.items else { return Ok(()) };
    let mut done = 0;
    while done < load.attachments {
        let before = done;
        match rest(client, &load.user, file, (&mut done, attached)).await {
            Ok(()) => break,
            Err(error) => {
                if done > before {
                    patience.renew();
                }
                patience.again(error).await?;
            }
        }
    }
    Ok(())
}

/// Sends the attachments after the first `done`.
async fn rest(client: &Client, user: &str, file: &Source, (done, attached): (&mut u64, &mut Attached)) -> CliResult {
    let mut archive = Reader::new(file.reader())?;
    let mut skip = *done;
    while let Some(attachment) = next_attachment(&mut archive)? {
        if skip > 0 {
            skip -= 1;
            continue;
        }
        let id = attachment.id.clone();
        match one(client, user, &mut archive, attachment).await? {
            Outcome::Answered(v1::AttachmentImport::Stored) => attached.stored += 1,
            Outcome::Answered(v1::AttachmentImport::Known) => attached.known += 1,
            Outcome::Answered(v1::AttachmentImport::NoMemory) => attached.left_out += 1,
            Outcome::Answered(v1::AttachmentImport::Unspecified) => {
                return Err(CliError::failed("the server's answer about an attachment is unknown to this version"));
            }
            Outcome::Refused(why) => {
                attached.refused += 1;
                if attached.complaints.len() < SHOWN {
                    attached.complaints.push(format!("attachment {id}: {}", why.message()));
                }
            }
        }
        *done += 1;
    }
    Ok(())
}

/// Sends one attachment, whose bytes come next in the archive.
async fn one(client: &Client, user: &str, archive: &mut Open, attachment: v1::Attachment) -> CliResult<Outcome> {
    let (sender, receiver) = mpsc::channel(AHEAD);
    let start = v1::ImportAttachmentStart { user_id: user.to_owned(), attachment: Some(attachment) };
    let mut service = client.attachments();
    let asking = async {
        let mut answers = service.import_attachment(received(receiver)).await?.into_inner();
        answers.message().await
    };
    let feeding = feed(archive, start, sender);
    tokio::pin!(asking, feeding);
    // The server may answer before it has all bytes; then it reads no more.
    let answer = tokio::select! {
        biased;
        answer = &mut asking => answer,
        fed = &mut feeding => match fed {
            Ok(()) => asking.await,
            Err(unread) => return Err(unread),
        },
    };
    match answer {
        Ok(Some(answer)) => Ok(Outcome::Answered(answer.outcome())),
        Ok(None) => Err(CliError::failed("the server ended an attachment without an answer")),
        Err(refused) if is_its_own(&refused) => Ok(Outcome::Refused(refused.into())),
        Err(failed) => Err(CliError::of_stream(failed)),
    }
}

/// Sends bytes until their end or until the server stops receiving.
async fn feed(
    archive: &mut Open,
    start: v1::ImportAttachmentStart,
    sender: mpsc::Sender<v1::ImportAttachmentRequest>,
) -> CliResult {
    let mut message = Message::Start(start);
    loop {
        if sender.send(v1::ImportAttachmentRequest { message: Some(message) }).await.is_err() {
            return Ok(());
        }
        let mut piece = vec![0; PIECE];
        let read = archive.read_attachment(&mut piece)?;
        if read == 0 {
            return Ok(());
        }
        piece.truncate(read);
        message = Message::Piece(piece);
    }
}

/// Converts a channel to a stream.
fn received<T: Send + 'static>(receiver: mpsc::Receiver<T>) -> impl Stream<Item = T> + Send + 'static {
    stream::unfold(receiver, async |mut receiver| receiver.recv().await.map(|message| (message, receiver)))
}

fn is_its_own(refused: &Status) -> bool {
    let details = refused.get_error_details();
    details.error_info().is_some_and(|info| ITS_OWN.contains(&info.reason.as_str()))
}
