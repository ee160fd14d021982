//! Streams progress and decisions of a run until it is complete or failed, from its beginning.
//!
//! The stream follows the vault, so that it shows what any process does there, and goes on where it was after each look.
//! It reads only when its client can take more: a slow client slows its stream down and nothing else.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use futures::Stream;
use kimberly_core::meditation::{Meditation, MeditationStatus};
use kimberly_core::{MeditationId, Result, UserId};
use kimberly_proto::v1;
use kimberly_proto::v1::watch_meditation_response::Event;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::Instant;
use tonic::Status;

use crate::layers::Deadline;
use crate::{Api, convert, status};

/// How long the stream waits before it looks again.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// Decisions read with one look.
const DECISIONS_PER_LOOK: usize = 200;

/// Events of a watched run.
pub(super) type Events = Pin<Box<dyn Stream<Item = Result<v1::WatchMeditationResponse, Status>> + Send>>;

pub(super) async fn handle(
    api: &Api,
    request: v1::WatchMeditationRequest,
    deadline: Option<Deadline>,
) -> Result<Events, Status> {
    let Ok(place) = Arc::clone(&api.watched).try_acquire_owned() else { return Err(status::overloaded()) };
    let watch = begin(api, request, deadline, place).await.map_err(status::status)?;
    Ok(Box::pin(futures::stream::unfold(Some(watch), |watch| async move { watch?.next().await })))
}

async fn begin(
    api: &Api,
    request: v1::WatchMeditationRequest,
    deadline: Option<Deadline>,
    place: OwnedSemaphorePermit,
) -> Result<Watch> {
    let user = UserId::parse(&request.user_id)?;
    let id = MeditationId::parse("id", &request.id)?;
    let deadline = deadline.and_then(Deadline::of_caller);
    let (ready, api) = (VecDeque::new(), api.clone());
    let mut watch = Watch { api, user, id, deadline, place, shown: 0, last: None, ready, ended: false };
    watch.look().await?;
    Ok(watch)
}

struct Watch {
    api: Api,
    user: UserId,
    id: MeditationId,
    /// When the caller's deadline passes, and how long that is after the call began.
    deadline: Option<(Instant, Duration)>,
    place: OwnedSemaphorePermit,
    /// Position of the last decision that was read.
    shown: u64,
    /// The run as it was last sent.
    last: Option<Meditation>,
    /// What was read and not sent yet.
    ready: VecDeque<Event>,
    /// Whether the last event has been read.
    ended: bool,
}

type Sent = (Result<v1::WatchMeditationResponse, Status>, Option<Watch>);

impl Watch {
    async fn next(mut self) -> Option<Sent> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some((Ok(v1::WatchMeditationResponse { event: Some(event) }), Some(self)));
            }
            if self.ended {
                drop(self.place);
                return None;
            }
            let looked = match self.pause().await {
                Ok(()) => self.look().await.map_err(status::status),
                Err(over) => Err(over),
            };
            if let Err(failed) = looked {
                return Some((Err(failed), None));
            }
        }
    }

    /// Waits for the next look, or says why there is none.
    async fn pause(&self) -> Result<(), Status> {
        let next = Instant::now() + LOOK_EVERY;
        let wake = self.deadline.map_or(next, |(deadline, _)| deadline.min(next));
        if self.api.stop.run_until_cancelled(tokio::time::sleep_until(wake)).await.is_none() {
            return Err(status::shutting_down());
        }
        match self.deadline {
            Some((deadline, after)) if Instant::now() >= deadline => Err(status::deadline_exceeded(after)),
            _ => Ok(()),
        }
    }

    /// Reads what is new: decisions first, then the run's record if it changed.
    async fn look(&mut self) -> Result<()> {
        let app = &self.api.app;
        let (run, decisions) = app.meditation_since(&self.user, self.id, self.shown, DECISIONS_PER_LOOK).await?;
        let all_read = decisions.len() < DECISIONS_PER_LOOK;
        for decision in decisions {
            self.shown = decision.position;
            self.ready.push_back(Event::Decision(convert::meditation::recorded(decision)));
        }
        self.ended = all_read && matches!(run.status, MeditationStatus::Complete | MeditationStatus::Failed);
        let changed = self.last.as_ref() != Some(&run);
        // A run that has ended is shown as ended only after its last decision.
        if self.ended || (changed && all_read) {
            self.ready.push_back(Event::Progress(convert::meditation::meditation(&self.user, run.clone())));
            self.last = Some(run);
        }
        Ok(())
    }
}
