//! The api under load: JSON against gRPC, many clients, and overload.

mod clients;
mod dialects;
mod overload;

use std::sync::Arc;
use std::time::Duration;

use kimberly_proto::v1::QueryMemoriesRequest;
use kimberly_proto::v1::memory_service_client::MemoryServiceClient;
use tonic::Status;
use tonic::transport::Channel;

use crate::population::Population;
use crate::report::{Report, say};
use crate::system::{Role, System};
use crate::texts::Language;
use crate::{Options, Result};

/// A quota large enough for the import.
const SETTINGS: [(&str, &str); 1] = [("KIMBERLY_QUOTAS__LONG_TERM", "1GiB")];

/// The extent of the measurements.
struct Extent {
    /// Users with 1,000 memories each, for latency and throughput.
    users: usize,
    /// Queries per measurement of them.
    queries: usize,
    /// Users with many memories, whose queries are slow enough to overload the server with few calls.
    large_users: usize,
    /// Batches of 1,000 memories per large user.
    large_batches: usize,
    /// Duration of each open-loop load, after its warm-up.
    time: Duration,
}

/// Measures and reports.
pub(crate) async fn run(options: Options, report: &mut Report) -> Result<()> {
    let extent = if options.quick {
        Extent { users: 50, queries: 3_000, large_users: 16, large_batches: 5, time: Duration::from_secs(10) }
    } else {
        Extent { users: 200, queries: 20_000, large_users: 32, large_batches: 10, time: Duration::from_secs(30) }
    };
    let language = Arc::new(Language::new());
    let population = Population::new(&language, "api", 1_000);
    let mut system = System::prepare(&SETTINGS)?;
    system.start(Role::Api).await?;
    let importing = crate::load::connect(&system.api_url(), 4).await?;
    let taken = population.import(&importing, 0..extent.users).await?;
    say(&format!("{} users imported in {:.1} s", extent.users, taken.as_secs_f64()));
    let questions = Arc::new(population.questions(0..extent.users, extent.queries));
    dialects::measure(&system, &questions, report).await?;
    clients::measure(&system, &questions, report).await?;
    drop(system);
    overload::measure(&extent, &language, report).await
}

/// One query.
async fn query(channel: Channel, question: QueryMemoriesRequest) -> Result<(), Status> {
    MemoryServiceClient::new(channel).query_memories(question).await.map(drop)
}
