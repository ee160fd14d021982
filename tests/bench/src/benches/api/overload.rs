//! Five times the server's capacity: admitted calls take hardly longer, the others are refused at once.
//!
//! The server has one processor of the machine and the generator the others, so that they do not compete and the
//! measured capacity is the server's own.

use std::sync::Arc;
use std::time::Duration;

use kimberly_proto::v1::QueryMemoriesRequest;
use kimberly_proto::v1::memory_service_client::MemoryServiceClient;
use tonic::transport::Channel;

use super::{Extent, SETTINGS};
use crate::Result;
use crate::affinity::Apart;
use crate::figures::{Aim, Figures};
use crate::load::{Limit, closed_loop, connect};
use crate::open_loop::{Outcome, open_loop};
use crate::population::Population;
use crate::process::{megabytes, resident_bytes};
use crate::report::{Report, say};
use crate::system::{Role, System};
use crate::texts::Language;

/// Connections of the generator.
const CONNECTIONS: usize = 16;
/// Clients that saturate the server to find its capacity: as many as the reads that run at once on one processor.
const BUSY: usize = 8;
/// Warm-up of every load, not counted: the server learns how long calls take, and detects the overload.
const WARM_UP: Duration = Duration::from_secs(3);

/// Measures and reports.
pub(super) async fn measure(extent: &Extent, language: &Arc<Language>, report: &mut Report) -> Result<()> {
    let apart = Apart::of_this_machine();
    let mut system = System::prepare(&SETTINGS)?;
    system.start(Role::Api).await?;
    let population = Population::new(language, "large", extent.large_batches * 1_000);
    let channels = connect(&system.api_url(), CONNECTIONS).await?;
    import(&population, &channels, extent.large_users).await?;
    // Restarted on its own processor, which determines how many calls it runs at once.
    system.stop(Role::Api).await?;
    system.start_on(Role::Api, apart.server()).await?;
    let _generator = apart.pin_to_the_others()?;

    let channels = connect(&system.api_url(), CONNECTIONS).await?;
    let questions = Arc::new(population.questions(0..extent.large_users, 20_000));
    let capacity = capacity(&channels, &questions, extent.time).await?;
    let mut figures = Figures::new(report, "overload");
    figures.add("api.capacity.per_second", capacity, Aim::Open);
    let half = load(&channels, &questions, capacity * 0.5, extent.time).await?;
    let most = load(&channels, &questions, capacity * 0.8, extent.time).await?;
    let before = resident_bytes(system.pid(Role::Api)?)?;
    let over = load(&channels, &questions, capacity * 5.0, extent.time).await?;
    let after = resident_bytes(system.pid(Role::Api)?)?;
    for (name, outcome) in [("load_0_5", &half), ("load_0_8", &most), ("load_5", &over)] {
        add(name, outcome, &mut figures);
    }
    figures.add("api.overload.p99_ratio_to_0_5", over.served.p99() / half.served.p99(), Aim::AtMost(3.0));
    figures.add("api.overload.p99_ratio_to_0_8", over.served.p99() / most.served.p99(), Aim::Open);
    figures.add("api.overload.refused.p99_ms", over.refused.p99(), Aim::AtMost(5.0));
    figures.add("api.overload.refused_from_sent.p99_ms", over.refused_from_sent.p99(), Aim::Open);
    figures.add("api.overload.served_share_of_capacity", over.served.per_second() / capacity, Aim::Open);
    figures.add("api.overload.before_mb", megabytes(before), Aim::Open);
    figures.add("api.overload.after_mb", megabytes(after), Aim::Open);
    figures.add("api.overload.growth", megabytes(after) / megabytes(before), Aim::AtMost(1.2));
    figures.print();
    Ok(())
}

/// Imports the memories of large users in batches of 1,000, a few users at once.
async fn import(population: &Population, channels: &[Channel], users: usize) -> Result<()> {
    let start = std::time::Instant::now();
    for user in 0..users {
        let batch = population.batch(user);
        for (n, part) in batch.memories.chunks(1_000).enumerate() {
            let mut request = batch.clone();
            request.memories = part.to_vec();
            MemoryServiceClient::new(channels[n % channels.len()].clone()).batch_create_memories(request).await?;
        }
    }
    say(&format!("{users} large users imported in {:.1} s", start.elapsed().as_secs_f64()));
    Ok(())
}

/// Queries per second of a few clients in a closed loop.
async fn capacity(channels: &[Channel], questions: &Arc<Vec<QueryMemoriesRequest>>, time: Duration) -> Result<f64> {
    let mut rate = 0.0;
    // The first one is the warm-up.
    for time in [WARM_UP, time / 2] {
        let questions = Arc::clone(questions);
        let limit = Limit { calls: usize::MAX, time };
        let sample = closed_loop(&channels[..BUSY], 0, limit, move |channel, number| {
            let question = questions[number % questions.len()].clone();
            async move { Ok(super::query(channel, question).await?) }
        });
        rate = sample.await?.per_second();
    }
    Ok(rate)
}

async fn load(
    channels: &[Channel],
    questions: &Arc<Vec<QueryMemoriesRequest>>,
    per_second: f64,
    time: Duration,
) -> Result<Outcome> {
    let ask = |channel, number: usize| super::query(channel, questions[number % questions.len()].clone());
    open_loop(channels, per_second, WARM_UP, time, ask).await
}

#[expect(clippy::cast_precision_loss, reason = "far fewer than 2^52 calls")]
fn add(load: &str, outcome: &Outcome, figures: &mut Figures<'_>) {
    let name = format!("api.{load}");
    figures.add(&format!("{name}.served.per_second"), outcome.served.per_second(), Aim::Open);
    figures.add(&format!("{name}.served.p50_ms"), outcome.served.p50(), Aim::Open);
    figures.add(&format!("{name}.served.p99_ms"), outcome.served.p99(), Aim::Open);
    figures.add(&format!("{name}.refused.per_second"), outcome.refused.per_second(), Aim::Open);
    figures.add(&format!("{name}.refused.p50_ms"), outcome.refused.p50(), Aim::Open);
    figures.add(&format!("{name}.refused.p99_ms"), outcome.refused.p99(), Aim::Open);
    figures.add(&format!("{name}.failed"), outcome.failed as f64, Aim::AtMost(0.0));
    figures.add(&format!("{name}.generator_late.p99_ms"), outcome.late.p99(), Aim::Open);
}
