//! Streams changes of a user's memories as they happen, whichever process makes them.
//!
//! The stream follows the vault. A commit of this process wakes it at once. Commits of other processes are found by
//! polling, often after a change and less often the longer nothing changes.

use std::collections::VecDeque;
use std::time::Duration;

use kimberly_core::ports::SeenChange;
use kimberly_core::usecases::{Watch, WatchInput};
use kimberly_core::{Result, UserId};
use kimberly_proto::v1;
use tokio::time::Instant;
use tonic::{Request, Status};

use crate::access::EnteredStream;
use crate::calls::Calls;
use crate::streams::{Messages, Running, Source, messages};
use crate::{Api, convert, status};

/// The shortest pause between polls, after a change.
const SHORTEST_PAUSE: Duration = Duration::from_millis(50);
/// The longest pause between polls, when nothing has changed for some time.
const LONGEST_PAUSE: Duration = Duration::from_secs(1);
/// A keepalive message is sent after this much time without any other.
const SIGN_OF_LIFE: Duration = Duration::from_secs(15);
/// Data read longer ago than this is read again, so that a slow client is not sent data that was erased meanwhile.
const FRESH: Duration = Duration::from_millis(500);

pub(super) async fn handle(
    api: &Api,
    request: Request<v1::WatchMemoriesRequest>,
) -> Result<Messages<v1::WatchMemoriesResponse>, Status> {
    let entered = api.enter_stream(request).await?;
    let _turn = entered.running.wait(api.calls.read_turn(entered.user.as_str())).await??;
    begin(api, entered).await.map(messages).map_err(status::status)
}

async fn begin(api: &Api, entered: EnteredStream<v1::WatchMemoriesRequest>) -> Result<Watching> {
    let EnteredStream { message: request, user, app, running, .. } = entered;
    let input = WatchInput {
        filter: convert::filter::filter(request.filter)?,
        with_memories: request.include_memory,
        cursor: request.cursor,
        from_oldest: request.from_oldest,
    };
    let watch = app.watch_memories(&user, input).await?;
    let now = Instant::now();
    let (ready, pause) = (VecDeque::new(), SHORTEST_PAUSE);
    Ok(Watching {
        calls: api.calls.clone(),
        running,
        user,
        watch,
        ready,
        read_at: now,
        sent_at: now,
        pause,
        greeted: false,
    })
}

struct Watching {
    calls: Calls,
    running: Running,
    user: UserId,
    watch: Watch,
    /// Changes that were read but not sent yet.
    ready: VecDeque<SeenChange>,
    read_at: Instant,
    sent_at: Instant,
    /// The pause before the next poll.
    pause: Duration,
    /// Whether the first message was sent.
    greeted: bool,
}

impl Source for Watching {
    type Message = v1::WatchMemoriesResponse;

    async fn next(&mut self) -> Result<Option<Self::Message>, Status> {
        if !std::mem::replace(&mut self.greeted, true) {
            return self.message(None).map(Some);
        }
        loop {
            if self.read_at.elapsed() > FRESH {
                self.ready.clear();
            }
            while let Some(seen) = self.ready.pop_front() {
                self.watch.pass(seen.change.number);
                if seen.passes {
                    return self.message(Some(seen)).map(Some);
                }
            }
            // Registered before polling, so that no commit is missed in between.
            let commit = self.watch.next_commit();
            self.look().await?;
            if self.ready.is_empty() {
                if self.sent_at.elapsed() >= SIGN_OF_LIFE {
                    return self.message(None).map(Some);
                }
                self.rest(commit).await?;
            }
        }
    }
}

impl Watching {
    async fn look(&mut self) -> Result<(), Status> {
        let _turn = self.running.wait(self.calls.read_turn(self.user.as_str())).await??;
        self.read_at = Instant::now();
        self.ready = self.running.wait(self.watch.look()).await?.map_err(status::status)?.into();
        Ok(())
    }

    /// Waits for a commit of this process, or until the next poll is due.
    async fn rest(&mut self, commit: impl Future<Output = ()>) -> Result<(), Status> {
        let pause = self.pause.min(SIGN_OF_LIFE.saturating_sub(self.sent_at.elapsed()));
        self.pause = (self.pause * 2).min(LONGEST_PAUSE);
        let woken = tokio::time::timeout(pause, commit);
        self.running.wait(woken).await.map(drop)
    }

    fn message(&mut self, seen: Option<SeenChange>) -> Result<v1::WatchMemoriesResponse, Status> {
        self.sent_at = Instant::now();
        if seen.is_some() {
            self.pause = SHORTEST_PAUSE;
        }
        let change = seen.map(|seen| convert::change::change(&self.user, seen)).transpose();
        let message = change.and_then(|change| Ok(v1::WatchMemoriesResponse { cursor: self.watch.cursor()?, change }));
        message.map_err(status::status)
    }
}
