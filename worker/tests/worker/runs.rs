//! From an exceeded quota or a request to the end of the run.

use std::time::Duration;

use kimberly_core::error::StorageFailure;
use kimberly_core::meditation::{MeditationStatus, Trigger};
use kimberly_queue::{CancellationToken, MEDITATE};

use crate::faulty::{Fault, Faulty};
use crate::fixture::{Fixture, until, user};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn crossed_quota_is_meditated_on() {
    let fixture = Fixture::new().await;
    let anna = user("anna");
    let worker = fixture.work();
    let id = fixture.remember_too_much(&anna).await;
    let before = fixture.active_bytes(&anna).await;
    let run = fixture.over(&anna, id).await;
    worker.stop().await;
    assert_eq!((run.status, run.trigger), (MeditationStatus::Complete, Trigger::Quota), "{run:?}");
    assert!(run.archived > 0, "{run:?}");
    assert!(fixture.active_bytes(&anna).await < before);
    assert_eq!(fixture.queue.stats().await.unwrap().done, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn run_that_is_cut_by_a_stop_is_resumed_by_the_next_worker() {
    let fixture = Fixture::new().await;
    let anna = user("anna");
    let id = fixture.remember_too_much(&anna).await;
    // Interrupted after scoring, before anything is archived.
    let vaults = Faulty::new(fixture.store.vaults(), "meditation.apply", 0, Fault::Hang);
    let worker = fixture.work_on(vaults.clone());
    until("applying", || vaults.faults() == 1).await;
    worker.stop().await;
    let run = fixture.run(&anna, id).await;
    assert_eq!((run.status, run.generation, run.archived), (MeditationStatus::Running, 1, 0));
    assert_eq!(fixture.queue.stats().await.unwrap().pending, 1, "the job was given back");

    let worker = fixture.work();
    let run = fixture.over(&anna, id).await;
    worker.stop().await;
    assert_eq!((run.status, run.generation), (MeditationStatus::Complete, 2), "{run:?}");
    assert!(run.archived > 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn run_whose_end_was_cut_is_not_applied_twice() {
    let fixture = Fixture::new().await;
    let anna = user("anna");
    let id = fixture.remember_too_much(&anna).await;
    let vaults = Faulty::new(fixture.store.vaults(), "meditation.end", 0, Fault::Hang);
    let worker = fixture.work_on(vaults.clone());
    until("ending", || vaults.faults() == 1).await;
    worker.stop().await;
    let cut = fixture.run(&anna, id).await;
    assert!(cut.archived > 0 && cut.status == MeditationStatus::Running, "{cut:?}");

    let worker = fixture.work();
    let run = fixture.over(&anna, id).await;
    worker.stop().await;
    assert_eq!((run.status, run.archived), (MeditationStatus::Complete, cut.archived));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn run_that_fails_each_time_ends_failed_with_a_reason() {
    let fixture = Fixture::new().await;
    let anna = user("anna");
    let id = fixture.meditate(&anna).await;
    let full = Fault::Fail(StorageFailure::Full);
    let vaults = Faulty::new(fixture.store.vaults(), "meditation.start", 0, full);
    let worker = fixture.work_on(vaults.clone());
    let run = fixture.over(&anna, id).await;
    fixture.eventually("dead letter", |stats| stats.dead == 1).await;
    worker.stop().await;
    assert_eq!(vaults.faults(), 2, "all attempts were made");
    assert_eq!(run.status, MeditationStatus::Failed);
    let why = run.error.unwrap();
    assert!(why.contains("the disk is full") && why.contains("a new run does the rest"), "{why}");
    assert!(!why.contains("as the test wants it"), "details stay in the log: {why}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn run_that_panics_ends_failed_and_others_go_on() {
    let fixture = Fixture::new().await;
    let (anna, ben) = (user("anna"), user("ben"));
    let id = fixture.meditate(&anna).await;
    let vaults = Faulty::new(fixture.store.vaults(), "meditation.start", 0, Fault::Panic);
    let worker = fixture.work_on(vaults);
    let run = fixture.over(&anna, id).await;
    worker.stop().await;
    assert_eq!(run.status, MeditationStatus::Failed);
    let worker = fixture.work();
    let id = fixture.meditate(&ben).await;
    assert_eq!(fixture.over(&ben, id).await.status, MeditationStatus::Complete);
    worker.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn failure_that_passes_is_got_over() {
    let fixture = Fixture::new().await;
    let anna = user("anna");
    let id = fixture.meditate(&anna).await;
    let busy = Fault::Fail(StorageFailure::Unavailable);
    let vaults = Faulty::new(fixture.store.vaults(), "meditation.end", 0, busy);
    let worker = fixture.work_on(vaults.clone());
    until("failed once", || vaults.faults() == 1).await;
    fixture.eventually("to be tried again", |stats| stats.delayed + stats.pending == 1).await;
    worker.stop().await;
    let worker = fixture.work();
    assert_eq!(fixture.over(&anna, id).await.status, MeditationStatus::Complete);
    worker.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn run_that_a_worker_without_the_job_took_is_carried_out_all_the_same() {
    let fixture = Fixture::new().await;
    let anna = user("anna");
    let id = fixture.meditate(&anna).await;
    let vaults = Faulty::new(fixture.store.vaults(), "meditation.end", 0, Fault::Overtaken(id));
    let worker = fixture.work_on(vaults.clone());
    let run = fixture.over(&anna, id).await;
    worker.stop().await;
    assert_eq!((run.status, run.generation), (MeditationStatus::Complete, 3), "{run:?}");
    assert_eq!(vaults.faults(), 2, "the first attempt was overtaken, the second one ended it");
    let stats = fixture.queue.stats().await.unwrap();
    assert_eq!((stats.done, stats.dead), (1, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn jobs_without_a_run_end_without_harm() {
    let fixture = Fixture::new().await;
    let unknown = MEDITATE.job("nobody", "med_01890a5d-ac96-774b-bcce-b302099a8057", "job-1");
    let mut nonsense = MEDITATE.job("anna", "no id", "job-2");
    fixture.queue.push(&unknown).await.unwrap();
    fixture.queue.push(&nonsense).await.unwrap();
    nonsense.kind = "dance".to_owned();
    nonsense.job_id = "job-3".to_owned();
    fixture.queue.push(&nonsense).await.unwrap();
    let worker = fixture.work();
    fixture.eventually("one done, two dead", |stats| (stats.done, stats.dead) == (1, 2)).await;
    worker.stop().await;
    assert!(fixture.registry().users(None, 10).await.unwrap().is_empty(), "no vault was made");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn worker_whose_part_broke_ends_with_an_error() {
    let fixture = Fixture::new().await;
    fixture.meditate(&user("anna")).await;
    let vaults = Faulty::new(fixture.store.vaults(), "outbox.relayed", 0, Fault::Panic);
    let worker = kimberly_worker::Worker {
        app: fixture.app_on(vaults),
        registry: fixture.registry(),
        audit: fixture.store.audit(),
        checkpoints: None,
        purger: fixture.purger(),
        queue: fixture.queue.clone(),
        outbox_signal: fixture.store.outbox_signal(),
        pace: kimberly_worker::Pace {
            concurrency: 1,
            schedule_interval: Duration::from_hours(1),
            sweep_interval: Duration::from_hours(1),
            keep_finished: Duration::ZERO,
        },
    };
    let ended = tokio::time::timeout(Duration::from_secs(10), worker.run(CancellationToken::new())).await;
    assert!(ended.unwrap().unwrap_err().message().contains("a part of the worker failed"));
}
