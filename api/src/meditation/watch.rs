//! Streams progress and decisions of a run, from its start until it completes or fails.
//!
//! The stream polls the vault, so it shows the work of any process. Each poll continues where the last one ended.

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

/// Interval between polls.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// Maximum number of decisions read per poll.
const DECISIONS_PER_LOOK: usize = 200;

/// The events of a watched run.
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
    /// Position of the last decision read.
    shown: u64,
    /// The run as it was last sent.
    last: Option<Meditation>,
    /// Events that were read but not sent yet.
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
    /// Reads what is new: decisions first, then the run if it changed.
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
