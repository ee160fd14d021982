//! The cost of vectors in recall: hybrid and lexical, alternating, with the embedder idle and at full load.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use kimberly_proto::internal::embedder_service_client::EmbedderServiceClient;
use kimberly_proto::internal::{EmbedRequest, Purpose};
use kimberly_proto::v1::memory_service_client::MemoryServiceClient;
use kimberly_proto::v1::{QueryMemoriesRequest, SemanticStatus};
use tokio::task::JoinHandle;
use tonic::transport::{Channel, Endpoint};

use crate::embeddings;
use crate::figures::{Aim, Figures};
use crate::load::{Limit, Sample, closed_loop, connect};
use crate::population::Population;
use crate::process::{megabytes, resident_bytes};
use crate::report::{Report, say};
use crate::system::{Role, System};
use crate::texts::Language;
use crate::token::Token;
use crate::{Options, Result};

/// Alternating rounds.
const ROUNDS: usize = 3;
/// Texts per bulk request, and concurrent bulk requests.
const BULK: (usize, usize) = (64, 2);

/// How queries are answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// By words; embeddings are off.
    Lexical,
    /// By words and vectors; every query is embedded.
    Hybrid,
    /// The same, with cached query vectors.
    Repeated,
}

impl Way {
    const ALL: [Self; 3] = [Self::Lexical, Self::Hybrid, Self::Repeated];

    fn name(self) -> &'static str {
        match self {
            Self::Lexical => "lexical",
            Self::Hybrid => "hybrid",
            Self::Repeated => "hybrid_repeated",
        }
    }
}

/// The measurements of a method, idle and under load.
#[derive(Default)]
struct Measured {
    samples: [Sample; 2],
    /// Calls that used vectors.
    used: [usize; 2],
}

/// Measures and reports.
pub(crate) async fn run(options: Options, report: &mut Report) -> Result<()> {
    let (users, memories, queries) = if options.quick { (5, 200, 600) } else { (10, 1_000, 3_000) };
    let population = Population::new(&Arc::new(Language::new()), "embedded", memories);
    let settings = embeddings::settings()?;
    let settings: Vec<(&str, &str)> = settings.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
    let mut system = System::prepare(&settings)?;
    system.start(Role::Embedder).await?;
    system.start(Role::Api).await?;
    let channels = connect(&system.api_url(), 2).await?;
    population.import(&channels, 0..users).await?;
    let started = Instant::now();
    let ids: Vec<String> = (0..users).map(|user| population.id(user)).collect();
    let vectors = embeddings::embed(&channels[0], &ids).await?;
    say(&format!("{vectors} vectors in {:.1} s", started.elapsed().as_secs_f64()));
    let questions = Arc::new(population.questions(0..users, queries));
    let bulk: Vec<String> = population.turns(users).into_iter().map(|turn| turn.text).take(BULK.0).collect();
    let mut measured: [Measured; 3] = Default::default();
    let (mut embedded, mut under_load) = (0, Duration::ZERO);
    for round in 0..ROUNDS {
        for way in Way::ALL {
            let channel = restart(&mut system, way).await?;
            let part = queries / ROUNDS;
            let first = if way == Way::Repeated { 0 } else { round * part };
            // Once to open vaults and indices, and to fill the cache of query vectors.
            ask(&channel, &questions, first, part).await?;
            for load in [false, true] {
                let loading = if load { Some(Load::start(&system, &bulk).await?) } else { None };
                let begun = Instant::now();
                let other = if way == Way::Hybrid { (first + part / 2) % queries } else { first };
                let (sample, used) = ask(&channel, &questions, other, part).await?;
                let of_way = &mut measured[way as usize];
                of_way.samples[usize::from(load)].join(sample);
                of_way.used[usize::from(load)] += used;
                if let Some(loading) = loading {
                    under_load += begun.elapsed();
                    embedded += loading.stop().await;
                }
            }
        }
    }
    let mut figures = Figures::new(report, &format!("recall with embeddings, {users} users x {memories} memories"));
    show(&measured, &mut figures);
    #[expect(clippy::cast_precision_loss, reason = "far fewer than 2^52 texts")]
    figures.add("recall.embeddings.bulk.texts_per_second", embedded as f64 / under_load.as_secs_f64(), Aim::Open);
    for (role, name) in [(Role::Api, "api_mb"), (Role::Embedder, "embedder_mb")] {
        let resident = megabytes(resident_bytes(system.pid(role)?)?);
        figures.add(&format!("recall.embeddings.{name}"), resident, Aim::Open);
    }
    figures.print();
    Ok(())
}

fn show(measured: &[Measured; 3], figures: &mut Figures<'_>) {
    let lexical = &measured[Way::Lexical as usize].samples;
    for way in Way::ALL {
        let of_way = &measured[way as usize];
        for (index, load) in ["idle", "bulk"].into_iter().enumerate() {
            let (sample, name) = (&of_way.samples[index], format!("recall.embeddings.{}.{load}", way.name()));
            figures.add(&format!("{name}.p50_ms"), sample.p50(), Aim::Open);
            figures.add(&format!("{name}.p99_ms"), sample.p99(), Aim::Open);
            if way != Way::Lexical {
                figures.add(&format!("{name}.p50_ratio"), sample.p50() / lexical[index].p50(), Aim::Open);
                figures.add(&format!("{name}.p99_ratio"), sample.p99() / lexical[index].p99(), Aim::Open);
                #[expect(clippy::cast_precision_loss, reason = "far fewer than 2^52 calls")]
                let share = of_way.used[index] as f64 / sample.calls() as f64;
                figures.add(&format!("{name}.used_share"), share, Aim::Open);
            }
        }
    }
}

/// Configures and restarts the api; returns a connection to it.
async fn restart(system: &mut System, way: Way) -> Result<[Channel; 1]> {
    let model = embeddings::model()?.display().to_string();
    system.stop(Role::Api).await?;
    system.set("KIMBERLY_EMBEDDER__MODEL", (way != Way::Lexical).then_some(&model));
    system.set("KIMBERLY_RECALL__CACHED_QUERIES", (way == Way::Hybrid).then_some("0"));
    system.start(Role::Api).await?;
    Ok([Endpoint::from_shared(system.api_url())?.connect().await?])
}

/// Asks questions one after another; returns how many answers used vectors.
async fn ask(
    channel: &[Channel; 1],
    questions: &Arc<Vec<QueryMemoriesRequest>>,
    first: usize,
    count: usize,
) -> Result<(Sample, usize)> {
    let (questions, used) = (Arc::clone(questions), Arc::new(AtomicUsize::new(0)));
    let counter = Arc::clone(&used);
    let limit = Limit { calls: count, time: Duration::from_mins(2) };
    let sample = closed_loop(channel, first, limit, move |channel, number| {
        let (question, counter) = (questions[number % questions.len()].clone(), Arc::clone(&counter));
        async move {
            let answer = MemoryServiceClient::new(channel).query_memories(question).await?.into_inner();
            counter.fetch_add(usize::from(answer.semantic() == SemanticStatus::Used), Ordering::Relaxed);
            Ok(())
        }
    })
    .await?;
    Ok((sample, used.load(Ordering::Relaxed)))
}

/// Bulk load on the embedder: documents that no query needs, as fast as possible.
struct Load {
    stop: Arc<AtomicBool>,
    tasks: Vec<JoinHandle<usize>>,
}

impl Load {
    async fn start(system: &System, texts: &[String]) -> Result<Self> {
        let stop = Arc::new(AtomicBool::new(false));
        let mut tasks = Vec::new();
        for _ in 0..BULK.1 {
            let channel = Endpoint::from_shared(system.url(Role::Embedder))?.connect().await?;
            let mut client = EmbedderServiceClient::with_interceptor(channel, Token::of(system)?);
            let (stop, texts) = (Arc::clone(&stop), texts.to_vec());
            tasks.push(tokio::spawn(async move {
                let mut embedded = 0;
                while !stop.load(Ordering::Relaxed) {
                    let purpose = Purpose::Document.into();
                    let request = EmbedRequest { texts: texts.clone(), purpose, model: String::new() };
                    if client.embed(request).await.is_ok() {
                        embedded += texts.len();
                    }
                }
                embedded
            }));
        }
        // Wait until it is running.
        tokio::time::sleep(Duration::from_millis(200)).await;
        Ok(Self { stop, tasks })
    }

    /// Stops it; returns how many texts were embedded.
    async fn stop(self) -> usize {
        self.stop.store(true, Ordering::Relaxed);
        let mut embedded = 0;
        for task in self.tasks {
            embedded += task.await.unwrap_or_default();
        }
        embedded
    }
}
