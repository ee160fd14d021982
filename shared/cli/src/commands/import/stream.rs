//! Sends one user's memories through import streams, reconnecting until all of them are done.

use futures::stream;
use indicatif::ProgressBar;
use kimberly_proto::v1;
use kimberly_proto::v1::import_memories_request::Message;
use kimberly_proto::v1::import_result::Outcome;
use tokio::sync::mpsc;

use super::attachments::Attached;
use super::items::Memories;
use super::load::{Choices, Load};
use super::opening;
use crate::client::Client;
use crate::error::{CliError, CliResult};
use crate::patience::Patience;
use crate::room;

/// Memories read ahead of the network.
const AHEAD: usize = 64;
/// Maximum consecutive waits for meditations without any progress.
const WAITS: u32 = 10;
/// Maximum refusals shown one by one.
const SHOWN: usize = 10;

/// The result of an import.
#[derive(Debug, Default)]
pub(super) struct Sent {
    /// Memories done before this command.
    pub(super) before: u64,
    /// Memories done now, refused ones included.
    pub(super) done: u64,
    /// Memories in `before` that the server had refused.
    pub(super) refused_before: u64,
    /// Memories that state what was known, which was only confirmed.
    pub(super) known: u64,
    /// Memories left out because they were forgotten.
    pub(super) forgotten: u64,
    /// Memories that the server refused.
    pub(super) refused: u64,
    /// Reasons of the first refusals.
    pub(super) complaints: Vec<String>,
    /// The results of attachments.
    pub(super) attached: Attached,
    /// How often the import waited for a meditation to make room.
    pub(super) waits: u64,
    /// The error that ended the import early, if any.
    pub(super) failed: Option<CliError>,
    opened: bool,
}

impl Sent {
    /// Memories stored by this command.
    pub(super) fn stored(&self) -> u64 {
        self.done.saturating_sub(self.before + self.refused + self.known + self.forgotten)
    }

    fn take(&mut self, answer: v1::ImportMemoriesResponse) {
        self.done = u64::try_from(answer.next_index).unwrap_or_default();
        if !std::mem::replace(&mut self.opened, true) {
            self.before = self.done;
            self.refused_before = u64::try_from(answer.refused_before).unwrap_or_default();
        }
        for result in answer.results {
            let error = match result.outcome {
                Some(Outcome::Error(error)) => error,
                Some(Outcome::Receipt(receipt)) => {
                    self.known += u64::from(receipt.existing);
                    continue;
                }
                Some(Outcome::ForgottenAt(_)) => {
                    self.forgotten += 1;
                    continue;
                }
                None => continue,
            };
            self.refused += 1;
            if self.complaints.len() < SHOWN {
                self.complaints.push(format!("memory {}: {}", result.index + 1, CliError::of_item(&error).message()));
            }
        }
    }
}

/// Sends a user's memories under an import id, and what must come before them. If a tier is full, waits for the
/// meditation that makes room. `sent` has the result, also after a failure.
pub(super) async fn send(
    client: &Client,
    load: &Load,
    import_id: &str,
    (sent, bar): (&mut Sent, &ProgressBar),
) -> CliResult {
    let (mut patience, mut waits) = (Patience::default(), 0);
    loop {
        let done = sent.done;
        let Err(error) = once(client, load, import_id, sent, bar).await else { return Ok(()) };
        if sent.done > done {
            patience.renew();
            waits = 0;
        }
        match &error.room {
            Some(room) if waits < WAITS => {
                waits += 1;
                sent.waits += 1;
                bar.println(format!("a tier of {} is full; waiting for a meditation to make room", load.user));
                room::wait(client, &load.user, room).await?;
            }
            _ => patience.again(error).await?,
        }
    }
}

async fn once(client: &Client, load: &Load, import_id: &str, sent: &mut Sent, bar: &ProgressBar) -> CliResult {
    let (feeder, receive) = mpsc::channel(AHEAD);
    let requests = stream::unfold(receive, |mut receive: mpsc::Receiver<_>| async move {
        receive.recv().await.map(|message| (message, receive))
    });
    let Choices { skip_uncovered, fit, with_forgotten } = load.choices;
    let start = v1::ImportStart {
        user_id: load.user.clone(),
        import_id: import_id.to_owned(),
        skip_uncovered,
        fit,
        with_forgotten,
    };
    // The channel is empty, so this cannot fail for lack of room.
    let _ = feeder.try_send(v1::ImportMemoriesRequest { message: Some(Message::Start(start)) });
    let answers = client.memories().import_memories(requests).await;
    let mut answers = answers.map_err(CliError::of_stream)?.into_inner();
    let first = answers.message().await.map_err(CliError::of_stream)?;
    let first = first.ok_or_else(|| CliError::failed("the server ended the import before it began"))?;
    let begin = u64::try_from(first.next_index).unwrap_or_default();
    sent.take(first);
    bar.set_position(begin);
    if begin == 0 {
        opening::send(client, load, import_id).await?;
    }
    let memories = load.items.from(begin);
    let feeding = tokio::task::spawn_blocking(move || feed(memories, begin, &feeder));
    while let Some(answer) = answers.message().await.map_err(CliError::of_stream)? {
        sent.take(answer);
        bar.set_position(sent.done);
    }
    feeding.await.map_err(|_| CliError::failed("reading the file failed"))?
}

/// Sends memories to the stream until it closes.
fn feed(memories: Memories, from: u64, send: &mpsc::Sender<v1::ImportMemoriesRequest>) -> CliResult {
    for (index, memory) in (i64::try_from(from).unwrap_or(i64::MAX)..).zip(memories) {
        let item = v1::ImportItem { index, memory: Some(memory?) };
        if send.blocking_send(v1::ImportMemoriesRequest { message: Some(Message::Item(item)) }).is_err() {
            break;
        }
    }
    Ok(())
}
