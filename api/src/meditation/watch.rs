//! Streams progress and decisions of a run until it is complete or failed, from its beginning.
//!
//! The stream follows the vault, so that it shows what any process does there, and goes on where it was after each look.

use std::collections::VecDeque;
use std::time::Duration;

use kimberly_core::meditation::{Meditation, MeditationStatus};
use kimberly_core::usecases::App;
use kimberly_core::{MeditationId, Result, UserId};
use kimberly_proto::v1;
use kimberly_proto::v1::watch_meditation_response::Event;
use tonic::{Request, Status};

use crate::access::EnteredStream;
use crate::calls::Calls;
use crate::streams::{Messages, Running, Source, messages};
use crate::{Api, convert, status};

/// How long the stream waits before it looks again.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// Decisions read with one look.
const DECISIONS_PER_LOOK: usize = 200;

/// Events of a watched run.
pub(super) type Events = Messages<v1::WatchMeditationResponse>;

pub(super) async fn handle(api: &Api, request: Request<v1::WatchMeditationRequest>) -> Result<Events, Status> {
    let mut watch = begin(api, api.enter_stream(request).await?).map_err(status::status)?;
    watch.look().await?;
    Ok(messages(watch))
}

fn begin(api: &Api, entered: EnteredStream<v1::WatchMeditationRequest>) -> Result<Watch> {
    let EnteredStream { message: request, user, app, running, .. } = entered;
    let id = MeditationId::parse("id", &request.id)?;
    let (ready, calls) = (VecDeque::new(), api.calls.clone());
    Ok(Watch { app, calls, user, id, running, shown: 0, last: None, ready, ended: false })
}

struct Watch {
    app: App,
    calls: Calls,
    user: UserId,
    id: MeditationId,
    running: Running,
    /// Position of the last decision that was read.
    shown: u64,
    /// The run as it was last sent.
    last: Option<Meditation>,
    /// What was read and not sent yet.
    ready: VecDeque<Event>,
    /// Whether the last event has been read.
    ended: bool,
}

impl Source for Watch {
    type Message = v1::WatchMeditationResponse;

    async fn next(&mut self) -> Result<Option<Self::Message>, Status> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Ok(Some(v1::WatchMeditationResponse { event: Some(event) }));
            }
            if self.ended {
                return Ok(None);
            }
            self.running.wait(tokio::time::sleep(LOOK_EVERY)).await?;
            self.look().await?;
        }
    }
}

impl Watch {
    /// Reads what is new: decisions first, then the run's record if it changed.
    async fn look(&mut self) -> Result<(), Status> {
        let (app, user) = (&self.app, &self.user);
        let turn = self.running.wait(self.calls.read_turn(user.as_str())).await??;
        let read = app.meditation_since(user, self.id, self.shown, DECISIONS_PER_LOOK);
        let (run, decisions) = self.running.wait(read).await?.map_err(status::status)?;
        drop(turn);
        let all_read = decisions.len() < DECISIONS_PER_LOOK;
        for decision in decisions {
            self.shown = decision.position;
            self.ready.push_back(Event::Decision(convert::meditation::recorded(&decision)));
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
