//! Decides which calls run, wait or are refused: rates per user, queues for permits that serve the users in turn, and
//! bounds on streams. Reads compute and writes wait for the disk, so each have their own permits and never wait for the
//! other.
//!
//! A call comes here once its request is decoded, since its user is not known before. `front` bounds how many requests
//! are decoded at once. A refusal is immediate and includes a retry delay.

mod credential;
mod line;
mod permits;
mod rate;
mod sharer;
mod streams;
mod user;

use std::num::NonZeroUsize;
use std::sync::Arc;

use kimberly_runtime::Metrics;
use kimberly_runtime::config::LimitsConfig;
use prost::Message;
use tokio::time::Instant;
use tonic::{Request, Status};

pub(crate) use credential::Credential;
pub(crate) use line::Refusal;
pub(crate) use permits::Permit;
pub(crate) use rate::Rate;
pub(crate) use sharer::Sharer;
pub(crate) use streams::StreamPermit;
pub(crate) use user::OfUser;

use crate::front::Held;
use crate::layers::Deadline;
use crate::status::{self, Limit};
use line::Bounds;
use permits::{LineMetrics, Permits};
use streams::Streams;
use user::Who;

/// Default permits for reads per processor: enough to keep it busy while one read waits for storage. More would only
/// compete for the processor, and quick responses such as refusals would wait behind all of them.
const READS_PER_PROCESSOR: usize = 2;
const READS: LineMetrics = LineMetrics { wait: "grpc.calls.wait.reads", waiting: "grpc.calls.waiting.reads" };
const WRITES: LineMetrics = LineMetrics { wait: "grpc.calls.wait.writes", waiting: "grpc.calls.waiting.writes" };

fn reads(config: &LimitsConfig) -> usize {
    let processors = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    if config.max_running_reads == 0 { processors() * READS_PER_PROCESSOR } else { config.max_running_reads }
}

/// The bounds on decoded calls. Cheap to clone; clones share their state.
#[derive(Clone, Debug)]
pub(crate) struct Calls {
    rate: Arc<Rate>,
    reads: Permits,
    writes: Permits,
    streams: Streams,
    metrics: Metrics,
}

impl Calls {
    pub(crate) fn new(config: &LimitsConfig, metrics: Metrics) -> Self {
        Self {
            rate: Arc::new(Rate::new(config.user_calls_per_second, config.user_burst)),
            reads: Permits::new(Bounds::new(reads(config), config), READS, metrics.clone()),
            writes: Permits::new(Bounds::new(config.max_running_writes, config), WRITES, metrics.clone()),
            streams: Streams::new(config.max_streams, config.max_streams_per_user),
            metrics,
        }
    }

    /// Acquires a permit for a call, held until dropped. Waits for it in the queue.
    pub(crate) async fn permit<M: OfUser + Message>(&self, request: &Request<M>) -> Result<Permit, Status> {
        self.within_rate(request.get_ref())?;
        charge(request)?;
        let deadline = request.extensions().get::<Deadline>().map(|deadline| deadline.ends());
        let patience = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let caller = user::key(Sharer::of(request.extensions()));
        let who = Who { caller, user: user::key(request.get_ref().user()) };
        let line = if M::WRITES { &self.writes } else { &self.reads };
        line.take(who, patience).await.map_err(|refusal| self.refused(refusal))
    }

    /// Acquires a permit for one reading step of a stream, such as a page of an export. Waits without a time limit, and
    /// is neither refused nor evicted, however many calls arrive.
    pub(crate) async fn read_turn(&self, user: &str) -> Result<Permit, Status> {
        self.reads.take_patiently(of_stream(user)).await.map_err(|refusal| self.refused(refusal))
    }

    /// Acquires a permit for one writing step of a stream, such as a piece of an import. Waits like [`Self::read_turn`].
    pub(crate) async fn write_turn(&self, user: &str) -> Result<Permit, Status> {
        self.writes.take_patiently(of_stream(user)).await.map_err(|refusal| self.refused(refusal))
    }

    /// Acquires a permit for a stream, held until dropped. While a stream waits, it takes no permit of the calls.
    pub(crate) fn stream(&self, request: &impl OfUser) -> Result<StreamPermit, Status> {
        self.within_rate(request)?;
        self.streams.take(user::key(request.user())).ok_or_else(|| {
            self.count("grpc.refused.streams");
            status::overloaded(Limit::Streams)
        })
    }

    fn within_rate(&self, request: &impl OfUser) -> Result<(), Status> {
        self.rate.check(&user::key(request.user())).map_err(|after| {
            self.count("grpc.refused.user_rate");
            status::rate_limited("user", after)
        })
    }

    fn refused(&self, refusal: Refusal) -> Status {
        match refusal {
            Refusal::Server => {
                self.count("grpc.refused.server");
                status::overloaded(Limit::Server)
            }
            Refusal::User => {
                self.count("grpc.refused.user");
                status::overloaded(Limit::User)
            }
        }
    }

    fn count(&self, reason: &'static str) {
        self.metrics.add("grpc.refused", 1);
        self.metrics.add(reason, 1);
    }
}

/// Steps of all streams share one caller's turns, since the number of streams is bounded.
fn of_stream(user: &str) -> Who {
    Who { caller: user::key("streams"), user: user::key(user) }
}

/// Takes room for a compressed request, now that its decompressed size is known.
pub(crate) fn charge<M: Message>(request: &Request<M>) -> Result<(), Status> {
    request.extensions().get::<Arc<Held>>().map_or(Ok(()), |held| held.unpacked(request.get_ref()))
}
