//! Due runs, found concurrently by schedulers of several processes.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use kimberly_core::ids::MeditationId;
use kimberly_core::meditation::{MeditationStatus, Trigger};
use kimberly_core::memory::Tier;
use kimberly_core::ports::{Clock, Ids, Job, NoObserver};
use kimberly_core::settings::ServerDefaults;
use kimberly_core::time::{Span, Timestamp};
use kimberly_core::usecases::App;
use kimberly_store::conformance::Bed;
use kimberly_store::conformance::fixtures::{START, draft};
use kimberly_store::{PgOptions, PgStore};
use uuid::Uuid;

use crate::postgres::common::{Database, bed};

const STORES: usize = 3;
/// Two schedulers per process.
const SCHEDULERS: usize = 6;
const USERS: [&str; 4] = ["ann", "ben", "cem", "dora"];
const ROUNDS: usize = 15;

/// A clock that tests set, and ids that count.
struct Stage {
    now: AtomicI64,
    ids: AtomicU64,
}

impl Clock for Stage {
    fn now(&self) -> Timestamp {
        Timestamp(self.now.load(Ordering::SeqCst))
    }
}

impl Ids for Stage {
    fn new_id(&self, now: Timestamp) -> Uuid {
        let mut random = [0_u8; 10];
        random[2..].copy_from_slice(&self.ids.fetch_add(1, Ordering::SeqCst).to_be_bytes());
        let millis = u64::try_from(now.0 / 1_000).unwrap();
        uuid::Builder::from_unix_timestamp_millis(millis, &random).into_uuid()
    }
}

/// Lets all schedulers concurrently start every due run: a meditation and a rotation per user.
async fn start_what_is_due(beds: &[Bed], apps: &[Arc<App>], now: Timestamp) {
    let found = beds[0].registry.due(now, 100).await.unwrap();
    assert_eq!(found.len(), 2 * USERS.len(), "{found:?}");
    let mut starting = Vec::new();
    for due in found {
        for scheduler in 0..SCHEDULERS {
            let app = Arc::clone(&apps[scheduler % STORES]);
            let registry = Arc::clone(&beds[scheduler % STORES].registry);
            let due = due.clone();
            starting.push(tokio::spawn(async move {
                app.start_due(&*registry, &due).await.unwrap();
            }));
        }
    }
    for started in starting {
        started.await.unwrap();
    }
    let left = beds[0].registry.due(now, 100).await.unwrap();
    assert!(left.is_empty(), "the due times were moved on: {left:?}");
}

/// Asserts one run per trigger and round with one job each, then completes them.
async fn assert_each_was_started_once(bed: &Bed, name: &str, round: usize) {
    let read =
        bed.read(name, |r| Box::pin(async move { Ok((r.meditations(None, 1_000).await?, r.outbox(1_000).await?)) }));
    let (runs, outbox) = read.await;
    for trigger in [Trigger::Schedule, Trigger::Rotation] {
        let started = runs.iter().filter(|run| run.trigger == trigger).count();
        assert_eq!(started, round, "{trigger} of {name}");
    }
    let mut scheduled: Vec<MeditationId> = runs.iter().map(|run| run.id).collect();
    let jobs = outbox.iter().filter_map(|row| match row.job {
        Job::Meditate { meditation_id } => Some(meditation_id),
        _ => None,
    });
    let mut queued: Vec<MeditationId> = jobs.collect();
    assert_eq!(outbox.len(), queued.len(), "{name}: nothing else was queued");
    scheduled.sort_unstable();
    queued.sort_unstable();
    assert_eq!(queued, scheduled, "{name}");
    bed.write(name, |tx| {
        Box::pin(async move {
            for mut run in tx.meditations(None, 1_000).await? {
                run.status = MeditationStatus::Complete;
                run.finished_at = Some(run.created_at);
                tx.put_meditation(&run).await?;
            }
            Ok(())
        })
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_due_is_started_once_though_several_processes_find_it_at_once() {
    let database = Database::with_tables().await;
    let stage = Arc::new(Stage { now: AtomicI64::new(START.0), ids: AtomicU64::new(0) });
    let (mut beds, mut apps) = (Vec::new(), Vec::new());
    for _ in 0..STORES {
        let options = PgOptions { max_connections: 4, ..database.options() };
        let bed = bed(PgStore::open(options, stage.clone()).await.unwrap(), ());
        let defaults = Arc::new(ServerDefaults::default());
        let app = App::new(Arc::clone(&bed.vaults), stage.clone(), stage.clone(), defaults, Arc::new(NoObserver));
        apps.push(Arc::new(app));
        beds.push(bed);
    }
    for name in USERS {
        let mut passing = draft("something to rotate");
        passing.tier = Tier::ShortTerm;
        beds[0].remember(name, [draft("something to meditate on"), passing]).await;
    }
    for round in 1..=ROUNDS {
        stage.now.fetch_add(Span::days(8).0, Ordering::SeqCst);
        start_what_is_due(&beds, &apps, stage.now()).await;
        for name in USERS {
            assert_each_was_started_once(&beds[round % STORES], name, round).await;
        }
    }
    for bed in beds {
        bed.vaults.close().await;
    }
}
