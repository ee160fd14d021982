//! Durable writes, compared with bare appends with fdatasync at the same time.

use std::sync::Arc;
use std::time::{Duration, Instant};

use kimberly_proto::v1::CreateMemoryRequest;
use kimberly_proto::v1::memory_service_client::MemoryServiceClient;
use tonic::transport::Channel;

use super::beside;
use crate::disk::BareLog;
use crate::figures::{Aim, Figures};
use crate::load::{Limit, Sample, closed_loop, connect};
use crate::peers::{Peer, Plan};
use crate::population::Population;
use crate::report::{Report, say};
use crate::system::{Role, System};
use crate::texts::Language;
use crate::{Options, Result};

/// Alternating rounds, so that a busy disk affects all combinations.
const ROUNDS: usize = 5;
const CLIENTS: [usize; 3] = [1, 8, 32];
const USERS: [usize; 2] = [1, 32];
const BATCH: usize = 1_000;
/// A quota large enough for the measurements.
const SETTINGS: [(&str, &str); 1] = [("KIMBERLY_QUOTAS__LONG_TERM", "1GiB")];

/// A number of users and of concurrent clients.
struct Combination {
    users: usize,
    clients: usize,
    requests: Arc<Vec<CreateMemoryRequest>>,
    next: usize,
    sample: Sample,
}

impl Combination {
    fn name(&self) -> String {
        format!("write.users{}.c{}", self.users, self.clients)
    }
}

/// Measures and reports.
pub(crate) async fn run(options: Options, report: &mut Report) -> Result<()> {
    let round = if options.quick { Duration::from_millis(600) } else { Duration::from_secs(2) };
    let language = Arc::new(Language::new());
    let mut system = System::prepare(&SETTINGS)?;
    system.start(Role::Api).await?;
    let channels = connect(&system.api_url(), 32).await?;
    let mut growing = BareLog::growing(system.folder())?;
    let mut rewritten = BareLog::rewritten(system.folder())?;

    let mut combinations = combinations(&language, &channels).await?;
    for _ in 0..ROUNDS {
        for combination in &mut combinations {
            growing.write(40)?;
            rewritten.write(40)?;
            let limit = Limit { calls: usize::MAX, time: round };
            let sample = create(&channels[..combination.clients], combination, limit).await?;
            combination.next += sample.calls();
            combination.sample.join(sample);
        }
    }
    let mut figures = Figures::new(report, "write");
    let bare = (Sample::of(growing.taken()), Sample::of(rewritten.taken()));
    rates(&combinations, &bare, &mut figures);
    bulk(&language, &channels, if options.quick { 32 } else { 256 }, &mut figures).await?;
    figures.print();
    drop(system);
    peers(options, &language, &combinations[0].sample, report).await
}

/// All combinations, with existing vaults.
async fn combinations(language: &Arc<Language>, channels: &[Channel]) -> Result<Vec<Combination>> {
    let mut all = Vec::new();
    for (users, prefix) in USERS.into_iter().zip(["write-alone", "write-many"]) {
        for clients in CLIENTS {
            let population = Population::new(language, prefix, BATCH);
            let first = clients * 100;
            let mut by_user: Vec<_> = (first..first + users).map(|user| population.singles(user).into_iter()).collect();
            // Interleaved: neighbours in the list belong to different users.
            let requests: Vec<_> = (0..BATCH * users).filter_map(|n| by_user[n % users].next()).collect();
            let mut combination =
                Combination { users, clients, requests: Arc::new(requests), next: 0, sample: Sample::default() };
            let warm_up = Limit { calls: users * 2, time: Duration::MAX };
            combination.next += create(&channels[..1], &combination, warm_up).await?.calls();
            all.push(combination);
        }
    }
    Ok(all)
}

async fn create(channels: &[Channel], combination: &Combination, limit: Limit) -> Result<Sample> {
    let requests = Arc::clone(&combination.requests);
    closed_loop(channels, combination.next, limit, move |channel, number| {
        let request = requests[number % requests.len()].clone();
        async move {
            MemoryServiceClient::new(channel).create_memory(request).await?;
            Ok(())
        }
    })
    .await
}

fn rates(combinations: &[Combination], (bare, rewritten): &(Sample, Sample), figures: &mut Figures<'_>) {
    for (name, sample) in [("bare", bare), ("bare_rewrite", rewritten)] {
        figures.add(&format!("write.{name}.per_second"), sample.per_second(), Aim::Open);
        figures.add(&format!("write.{name}.p50_ms"), sample.p50(), Aim::Open);
        figures.add(&format!("write.{name}.p99_ms"), sample.p99(), Aim::Open);
    }
    for combination in combinations {
        let (name, sample) = (combination.name(), &combination.sample);
        figures.add(&format!("{name}.per_second"), sample.per_second(), Aim::Open);
        figures.add(&format!("{name}.p50_ms"), sample.p50(), Aim::Open);
        figures.add(&format!("{name}.p99_ms"), sample.p99(), Aim::AtMost(20.0));
    }
    let alone = &combinations[0].sample;
    figures.add("write.vs_bare.p50_ratio", alone.p50() / bare.p50(), Aim::AtMost(2.5));
    figures.add("write.vs_bare_rewrite.p50_ratio", alone.p50() / rewritten.p50(), Aim::Open);
    figures.add("write.vs_bare.rate_ratio", bare.per_second() / alone.per_second(), Aim::Open);
    for combination in combinations.iter().filter(|combination| combination.clients == 32) {
        let gain = combination.sample.per_second() / alone.per_second();
        figures.add(&format!("{}.gain", combination.name()), gain, Aim::AtLeast(4.0));
    }
}

/// Batches of 1,000 to new users.
async fn bulk(language: &Arc<Language>, channels: &[Channel], users: usize, figures: &mut Figures<'_>) -> Result<()> {
    for (clients, prefix) in [(1, "bulk-one"), (8, "bulk-eight")] {
        let population = Population::new(language, prefix, BATCH);
        let users = if clients == 1 { users / 4 } else { users };
        let taken = population.import(&channels[..clients], 0..users).await?;
        #[expect(clippy::cast_precision_loss, reason = "far fewer than 2^52 memories")]
        let rate = (users * BATCH) as f64 / taken.as_secs_f64();
        let aim = if clients == 1 { Aim::AtLeast(30_000.0) } else { Aim::Open };
        figures.add(&format!("write.bulk.c{clients}.per_second"), rate, aim);
    }
    Ok(())
}

/// Runs the peers on the texts of the 32 users.
async fn peers(options: Options, language: &Arc<Language>, ours: &Sample, report: &mut Report) -> Result<()> {
    let population = Population::new(language, "peer", 100);
    let folder = tempfile::tempdir()?;
    let workload = folder.path().join("workload.jsonl");
    let rows = (0..100 * 32).map(|n| (population.id(n % 32), n % 32, n / 32));
    let turns: Vec<_> = (0..32).map(|user| population.turns(user)).collect();
    let memories = rows.map(|(id, user, position)| (id, turns[user][position].text.clone()));
    crate::peers::write_workload(&workload, memories, [])?;
    let operations = if options.quick { 200 } else { 1_000 };
    let max_seconds = if options.quick { 6 } else { 20 };
    let plan = Plan { mode: "write", workload: &workload, clients: &CLIENTS, operations, max_seconds };
    let started = Instant::now();
    beside::measure("write", [Peer::Mem0, Peer::Chroma].map(|peer| (peer, Aim::Open)), &plan, ours.p50(), report)
        .await?;
    say(&format!("the peers took {:.0} s", started.elapsed().as_secs_f64()));
    Ok(())
}
