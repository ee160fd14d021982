//! Recall latency, compared with the bare full-text query on the same files, and with mem0 and Chroma.

use std::sync::Arc;
use std::time::Duration;

use kimberly_proto::v1::memory_service_client::MemoryServiceClient;
use kimberly_proto::v1::{ListMemoriesRequest, QueryMemoriesRequest};
use tonic::transport::Channel;

use super::beside;
use crate::bare::{BareVaults, all_words, terms};
use crate::figures::{Aim, Figures};
use crate::load::{Limit, Sample, closed_loop, connect};
use crate::peers::{Peer, Plan, write_workload};
use crate::population::Population;
use crate::process::{megabytes, processor_time, resident_bytes};
use crate::report::{Report, say};
use crate::system::{Role, System};
use crate::texts::Language;
use crate::{Options, Result};

const MEMORIES: usize = 1_000;
const CLIENTS: [usize; 3] = [1, 8, 32];
/// Alternating rounds of Kimberly and the bare query.
const ROUNDS: usize = 10;
/// Users for bare queries and peers.
const FEW: usize = 10;

/// The extent of the measurements.
struct Extent {
    /// Increasing numbers of users; the first is [`FEW`].
    users: &'static [usize],
    /// Queries per combination of users and clients.
    queries: usize,
}

/// Measures and reports.
pub(crate) async fn run(options: Options, report: &mut Report) -> Result<()> {
    let extent = if options.quick {
        Extent { users: &[FEW, 100], queries: 2_000 }
    } else {
        Extent { users: &[FEW, 100, 1_000], queries: 10_000 }
    };
    let population = Population::new(&Arc::new(Language::new()), "recall", MEMORIES);
    let mut system = System::prepare(&[])?;
    system.start(Role::Api).await?;
    let channels = connect(&system.api_url(), 32).await?;
    let (mut there, mut medians) = (0, Vec::new());
    for users in extent.users {
        let taken = population.import(&channels[..4], there..*users).await?;
        say(&format!("{} users imported in {:.1} s", users - there, taken.as_secs_f64()));
        there = *users;
        let mut figures = Figures::new(report, &format!("recall, {users} users x {MEMORIES} memories"));
        let api = system.pid(Role::Api)?;
        medians.push(by_clients(&population, (&channels, api), *users, extent.queries, &mut figures).await?);
        let resident = resident_bytes(api)?;
        figures.add(&format!("recall.users{users}.api_mb"), megabytes(resident), Aim::Open);
        if *users == FEW {
            besides_bare(&population, &system, &channels[..1], extent.queries, &mut figures).await?;
        }
        figures.print();
    }
    let (few, many) = (medians[0], medians[medians.len() - 1]);
    let mut figures = Figures::new(report, "recall, from few users to many");
    figures.add(&format!("recall.flatness_{FEW}_to_{there}"), many / few, Aim::AtMost(1.2));
    figures.print();
    drop(system);
    peers(options, &population, few, report).await
}

/// Percentiles and throughput by number of clients; returns the median of one client.
async fn by_clients(
    population: &Population,
    (channels, api): (&[Channel], u32),
    users: usize,
    queries: usize,
    figures: &mut Figures<'_>,
) -> Result<f64> {
    let questions = Arc::new(population.questions(0..users, queries));
    query(&channels[..8], &questions, 0, queries / 5).await?;
    let mut median = f64::NAN;
    for clients in CLIENTS {
        let before = processor_time(api)?;
        let sample = query(&channels[..clients], &questions, 0, queries).await?;
        let worked = processor_time(api)?.saturating_sub(before);
        let name = format!("recall.users{users}.c{clients}");
        figures.add(&format!("{name}.p50_ms"), sample.p50(), Aim::Open);
        figures.add(&format!("{name}.p95_ms"), sample.percentile(0.95), Aim::Open);
        figures.add(&format!("{name}.p99_ms"), sample.p99(), Aim::Open);
        let busy = if clients == 32 && users > FEW { Aim::AtLeast(2_500.0) } else { Aim::Open };
        figures.add(&format!("{name}.per_second"), sample.per_second(), busy);
        figures.add(&format!("{name}.processor_s_per_million"), per_million(worked, sample.calls()), Aim::Open);
        if clients == 1 {
            figures.add(&format!("{name}.p99_to_p50"), sample.p99() / sample.p50(), Aim::AtMost(4.0));
            median = sample.p50();
        }
    }
    Ok(median)
}

#[expect(clippy::cast_precision_loss, reason = "far fewer than 2^52 calls")]
fn per_million(worked: Duration, calls: usize) -> f64 {
    worked.as_secs_f64() * 1e6 / calls as f64
}

/// The same questions to Kimberly and to the bare index, alternating; and a call that reads nothing.
async fn besides_bare(
    population: &Population,
    system: &System,
    channel: &[Channel],
    queries: usize,
    figures: &mut Figures<'_>,
) -> Result<()> {
    let questions = Arc::new(population.questions(0..FEW, queries));
    let mut vaults = BareVaults::open(&system.data_dir(), system.rings()).await?;
    let (mut ours, mut empty) = (Sample::default(), Sample::default());
    let (mut bare, mut bare_all_words) = (Vec::new(), Vec::new());
    let part = queries / ROUNDS;
    for first in (0..part * ROUNDS).step_by(part) {
        ours.join(query(channel, &questions, first, part).await?);
        for question in &questions[first..first + part] {
            bare.push(vaults.query(&question.user_id, terms(&question.query)).await?);
            bare_all_words.push(vaults.query(&question.user_id, all_words(&question.query)).await?);
        }
        empty.join(list_nothing(channel, part).await?);
    }
    let (bare, bare_all_words) = (Sample::of(&bare), Sample::of(&bare_all_words));
    figures.add("recall.bare_fts5.p50_ms", bare.p50(), Aim::Open);
    figures.add("recall.bare_fts5.p95_ms", bare.percentile(0.95), Aim::Open);
    figures.add("recall.bare_fts5.p99_ms", bare.p99(), Aim::Open);
    figures.add("recall.bare_fts5_all_words.p50_ms", bare_all_words.p50(), Aim::Open);
    figures.add("recall.empty_call.p50_ms", empty.p50(), Aim::Open);
    figures.add("recall.vs_bare.p50_ratio", ours.p50() / bare.p50(), Aim::Open);
    let floor = bare.p50() + empty.p50();
    figures.add("recall.vs_bare_and_empty_call.p50_ratio", ours.p50() / floor, Aim::AtMost(1.6));
    figures.add("recall.vs_bare_all_words.p50_ratio", ours.p50() / bare_all_words.p50(), Aim::Open);
    figures.add("recall.vs_bare.p99_ratio", ours.p99() / bare.p99(), Aim::Open);
    Ok(())
}

/// Asks `count` questions, starting with number `first`.
pub(crate) async fn query(
    channels: &[Channel],
    questions: &Arc<Vec<QueryMemoriesRequest>>,
    first: usize,
    count: usize,
) -> Result<Sample> {
    let questions = Arc::clone(questions);
    let limit = Limit { calls: count, time: Duration::from_mins(2) };
    closed_loop(channels, first, limit, move |channel, number| {
        let question = questions[number % questions.len()].clone();
        async move {
            MemoryServiceClient::new(channel).query_memories(question).await?;
            Ok(())
        }
    })
    .await
}

/// Calls that read nothing: the overhead of transport and process.
async fn list_nothing(channels: &[Channel], count: usize) -> Result<Sample> {
    let limit = Limit { calls: count, time: Duration::from_mins(1) };
    closed_loop(channels, 0, limit, |channel, _| async move {
        let request = ListMemoriesRequest { user_id: "recall-nobody".to_owned(), ..ListMemoriesRequest::default() };
        MemoryServiceClient::new(channel).list_memories(request).await?;
        Ok(())
    })
    .await
}

/// Runs the peers with the same users, texts and questions.
async fn peers(options: Options, population: &Population, ours: f64, report: &mut Report) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let workload = folder.path().join("workload.jsonl");
    let memories = (0..FEW).flat_map(|user| {
        let id = population.id(user);
        population.turns(user).into_iter().map(move |turn| (id.clone(), turn.text))
    });
    let operations = if options.quick { 100 } else { 500 };
    let questions = population.questions(0..FEW, operations * 2);
    write_workload(&workload, memories, questions.into_iter().map(|question| (question.user_id, question.query)))?;
    let clients: &[usize] = if options.quick { &[1] } else { &[1, 8] };
    let max_seconds = if options.quick { 20 } else { 120 };
    let plan = Plan { mode: "recall", workload: &workload, clients, operations, max_seconds };
    let peers = [(Peer::Mem0, Aim::AtLeast(100.0)), (Peer::Chroma, Aim::AtLeast(1.5))];
    beside::measure("recall", peers, &plan, ours, report).await
}
