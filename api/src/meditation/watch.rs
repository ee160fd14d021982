//! Streams progress and decisions of a run until it is complete or failed, from its beginning.
//!
//! The stream follows the vault, so that it shows what any process does there, and goes on where it was after each look.
//! It reads only when its client can take more: a slow client slows its stream down and nothing else.

use std::collections::VecDeque;
use std::pin::Pin;
use std::time::Duration;

use futures::Stream;
use kimberly_core::meditation::{Meditation, MeditationStatus};
use kimberly_core::{MeditationId, Result, UserId};
use kimberly_proto::v1;
use kimberly_proto::v1::watch_meditation_response::Event;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tonic::{Request, Status};

use crate::calls::StreamPlace;
use crate::connections::Leaving;
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
    request: Request<v1::WatchMeditationRequest>,
    place: StreamPlace,
) -> Result<Events, Status> {
    let deadline = request.extensions().get::<Deadline>().and_then(|deadline| deadline.of_caller());
    let leaving = request.extensions().get::<Leaving>().map_or_else(|| api.stop.clone(), |leaving| leaving.0.clone());
    let first = api.calls.read_turn(&request.get_ref().user_id).await?;
    let (user, id) = ids(request.get_ref()).map_err(status::status)?;
    let ready = VecDeque::new();
    let mut watch =
        Watch { api: api.clone(), user, id, deadline, leaving, place, shown: 0, last: None, ready, ended: false };
    watch.look().await.map_err(status::status)?;
    drop(first);
    Ok(Box::pin(futures::stream::unfold(Some(watch), |watch| async move { watch?.next().await })))
}

fn ids(request: &v1::WatchMeditationRequest) -> Result<(UserId, MeditationId)> {
    Ok((UserId::parse(&request.user_id)?, MeditationId::parse("id", &request.id)?))
}

struct Watch {
    api: Api,
    user: UserId,
    id: MeditationId,
    /// When the caller's deadline passes, and how long that is after the call began.
    deadline: Option<(Instant, Duration)>,
    /// Cancelled when the connection or the server ends.
    leaving: CancellationToken,
    place: StreamPlace,
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
        if self.leaving.run_until_cancelled(tokio::time::sleep_until(wake)).await.is_none() {
            let stopping = self.api.stop.is_cancelled();
            return Err(if stopping { status::shutting_down() } else { status::reconnect() });
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
