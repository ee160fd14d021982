//! Meditation of many users: items scored per second and core, the worker's memory, and the effect on recall.

use std::sync::Arc;
use std::time::{Duration, Instant};

use kimberly_proto::v1::meditation_service_client::MeditationServiceClient;
use kimberly_proto::v1::{GetMeditationRequest, MeditateRequest, MeditationStatus, QueryMemoriesRequest};
use tokio::sync::watch;
use tonic::transport::Channel;

use super::recall::query;
use crate::figures::{Aim, Figures};
use crate::load::{Limit, Sample, closed_loop, connect};
use crate::population::Population;
use crate::process::{megabytes, peak_resident_bytes, processor_time};
use crate::report::{Report, say};
use crate::system::{Role, System};
use crate::texts::Language;
use crate::{Options, Result};

const MEMORIES: usize = 1_000;
/// Timeout of a run.
const PATIENCE: Duration = Duration::from_mins(20);

/// The result of a worker's pass over all users.
pub(super) struct Meditated {
    items: i64,
    taken: Duration,
    pub(super) processor: Duration,
    pub(super) peak_bytes: u64,
}

/// Measures and reports.
pub(crate) async fn run(options: Options, report: &mut Report) -> Result<()> {
    let (few, many) = if options.quick { (10, 50) } else { (100, 1_000) };
    let population = Population::new(&Arc::new(Language::new()), "meditate", MEMORIES);
    let mut system = System::prepare(&[])?;
    system.start(Role::Api).await?;
    let channels = connect(&system.api_url(), 8).await?;
    let mut figures = Figures::new(report, &format!("meditate, {many} users x {MEMORIES} memories"));

    let mut there = 0;
    let mut peaks = Vec::new();
    for users in [few, many] {
        let taken = population.import(&channels[..4], there..users).await?;
        say(&format!("{} users imported in {:.1} s", users - there, taken.as_secs_f64()));
        there = users;
        system.start(Role::Worker).await?;
        let done = meditate_all(&ids(&population, users), &system, &channels, whole).await?;
        system.stop(Role::Worker).await?;
        peaks.push(megabytes(done.peak_bytes));
        figures.add(&format!("meditate.users{users}.peak_mb"), megabytes(done.peak_bytes), Aim::AtMost(60.0));
        if users == many {
            rates(&done, &mut figures);
        }
    }
    figures.add("meditate.peak_ratio", peaks[1] / peaks[0], Aim::Open);
    let questions = Arc::new(population.questions(0..many, if options.quick { 3_000 } else { 20_000 }));
    beside_recall(&population, &mut system, &channels, many, &questions, &mut figures).await?;
    figures.print();
    Ok(())
}

fn ids(population: &Population, users: usize) -> Vec<String> {
    (0..users).map(|user| population.id(user)).collect()
}

/// A full meditation, for scores alone.
fn whole(user: &str) -> MeditateRequest {
    let steps = vec!["score".to_owned()];
    MeditateRequest { user_id: user.to_owned(), full: true, steps, ..MeditateRequest::default() }
}

#[expect(clippy::cast_precision_loss, reason = "far fewer than 2^52 items")]
fn rates(done: &Meditated, figures: &mut Figures<'_>) {
    let items = done.items as f64;
    figures.add("meditate.items", items, Aim::Open);
    figures.add("meditate.items_per_core_second", items / done.processor.as_secs_f64(), Aim::AtLeast(100_000.0));
    figures.add("meditate.items_per_second", items / done.taken.as_secs_f64(), Aim::Open);
    figures.add("meditate.processor_seconds", done.processor.as_secs_f64(), Aim::Open);
}

/// Recall latency of one client before and while the worker meditates for all users.
async fn beside_recall(
    population: &Population,
    system: &mut System,
    channels: &[Channel],
    users: usize,
    questions: &Arc<Vec<QueryMemoriesRequest>>,
    figures: &mut Figures<'_>,
) -> Result<()> {
    query(&channels[..1], questions, 0, questions.len() / 5).await?;
    let before = query(&channels[..1], questions, 0, questions.len()).await?;
    system.start(Role::Worker).await?;
    let (stop, stopped) = watch::channel(false);
    let asking = tokio::spawn(query_until(channels[0].clone(), Arc::clone(questions), stopped));
    let meditated = meditate_all(&ids(population, users), system, &channels[1..], whole).await;
    stop.send_replace(true);
    let during = asking.await??;
    meditated?;
    figures.add("meditate.recall.before.p50_ms", before.p50(), Aim::Open);
    figures.add("meditate.recall.before.p99_ms", before.p99(), Aim::Open);
    figures.add("meditate.recall.during.p50_ms", during.p50(), Aim::Open);
    figures.add("meditate.recall.during.p99_ms", during.p99(), Aim::Open);
    figures.add("meditate.recall.p99_ratio", during.p99() / before.p99(), Aim::AtMost(2.0));
    Ok(())
}

/// Asks questions one after another until stopped.
async fn query_until(
    channel: Channel,
    questions: Arc<Vec<QueryMemoriesRequest>>,
    stopped: watch::Receiver<bool>,
) -> Result<Sample> {
    let mut sample = Sample::default();
    let mut first = 0;
    while !*stopped.borrow() {
        let part = query(std::slice::from_ref(&channel), &questions, first, 20).await?;
        first += part.calls();
        sample.join(part);
    }
    Ok(sample)
}

/// Requests a meditation of every user and waits until all are done.
pub(super) async fn meditate_all(
    users: &[String],
    system: &System,
    channels: &[Channel],
    of: impl Fn(&str) -> MeditateRequest,
) -> Result<Meditated> {
    let worker = system.pid(Role::Worker)?;
    let (start, processor) = (Instant::now(), processor_time(worker)?);
    let requests: Vec<MeditateRequest> = users.iter().map(|user| of(user)).collect();
    let limit = Limit { calls: users.len(), time: PATIENCE };
    closed_loop(channels, 0, limit, move |channel, at| {
        let request = requests[at].clone();
        async move {
            MeditationServiceClient::new(channel).meditate(request).await?;
            Ok(())
        }
    })
    .await?;
    let mut items = 0;
    for user in users {
        items += wait_for(&channels[0], user.clone(), start + PATIENCE).await?;
    }
    Ok(Meditated {
        items,
        taken: start.elapsed(),
        processor: processor_time(worker)?.saturating_sub(processor),
        peak_bytes: peak_resident_bytes(worker)?,
    })
}

/// Waits until a user's latest run is complete; returns how many memories it scored.
async fn wait_for(channel: &Channel, user_id: String, deadline: Instant) -> Result<i64> {
    let mut meditations = MeditationServiceClient::new(channel.clone());
    let newest =
        kimberly_proto::v1::ListMeditationsRequest { user_id: user_id.clone(), page_size: 1, ..<_>::default() };
    let listed = meditations.list_meditations(newest).await?.into_inner().meditations;
    let id = listed.into_iter().next().map(|run| run.id).ok_or("a run that was asked for is not listed")?;
    while Instant::now() < deadline {
        let request = GetMeditationRequest { user_id: user_id.clone(), id: id.clone(), page_size: 1, ..<_>::default() };
        let run = meditations.get_meditation(request).await?.into_inner().meditation.unwrap_or_default();
        match run.status() {
            MeditationStatus::Complete => return Ok(run.processed),
            MeditationStatus::Failed => return Err(format!("a run of {user_id} failed: {}", run.error).into()),
            _ => tokio::time::sleep(Duration::from_millis(20)).await,
        }
    }
    Err(format!("the worker has not done {user_id} within {PATIENCE:?}").into())
}
