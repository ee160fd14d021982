//! The attachments of an archive, sent behind its memories: one call each, which needs no bytes if it is there already. So
//! an import that was cut, or is run again, goes on where it was.

use futures::{Stream, stream};
use kimberly_archive::Reader;
use kimberly_proto::v1;
use kimberly_proto::v1::import_attachment_request::Message;
use tokio::sync::mpsc;
use tonic::Status;
use tonic_types::StatusExt as _;

use super::Load;
use super::archive::{Open, next_attachment};
use super::items::Items;
use super::source::Source;
use crate::client::Client;
use crate::error::{CliError, CliResult};
use crate::patience::Patience;

/// Bytes of a piece.
const PIECE: usize = 256 << 10;
/// Pieces that wait to be sent.
const AHEAD: usize = 2;
/// Most refusals that are shown one by one.
const SHOWN: usize = 10;
/// Why a server refuses an attachment for what it is, and may take the next one.
const ITS_OWN: [&str; 3] = ["INVALID_FIELD", "QUOTA_EXCEEDED", "LIMIT_REACHED"];

/// What became of attachments.
#[derive(Debug, Default)]
pub(super) struct Attached {
    /// Those that this command stored.
    pub(super) stored: u64,
    /// Those that were there.
    pub(super) known: u64,
    /// Those of which no memory is there.
    pub(super) left_out: u64,
    /// Those that the server refused.
    pub(super) refused: u64,
    /// Why, for the first of them.
    pub(super) complaints: Vec<String>,
}

/// What became of one.
enum Outcome {
    Answered(v1::AttachmentImport),
    Refused(CliError),
}

/// Sends all attachments of a user, if there are any, and says what became of them, also when it fails.
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

/// Sends the attachments behind those that are done.
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
                return Err(CliError::failed("the server says nothing that this version knows of an attachment"));
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

/// Sends one, whose bytes come next in the archive.
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
    // An answer may come before the bytes: then nobody takes them any more.
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

/// Sends bytes until they have ended or nobody takes them.
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

/// What comes out of a channel, as a stream.
fn received<T: Send + 'static>(receiver: mpsc::Receiver<T>) -> impl Stream<Item = T> + Send + 'static {
    stream::unfold(receiver, async |mut receiver| receiver.recv().await.map(|message| (message, receiver)))
}

fn is_its_own(refused: &Status) -> bool {
    let details = refused.get_error_details();
    details.error_info().is_some_and(|info| ITS_OWN.contains(&info.reason.as_str()))
}
