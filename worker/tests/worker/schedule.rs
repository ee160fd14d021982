//! Users with due runs are scheduled once.

use std::time::Duration;

use kimberly_core::UserId;
use kimberly_core::error::StorageFailure;
use kimberly_core::meditation::{MeditationStatus, Trigger};
use kimberly_core::time::Span;
use kimberly_worker::Scheduler;

use crate::faulty::{Fault, Faulty};
use crate::fixture::{Fixture, user};

async fn scheduled_runs(fixture: &Fixture, user: &UserId) -> usize {
    fixture.runs(user).await.iter().filter(|run| run.trigger == Trigger::Schedule).count()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn due_user_is_meditated_on_once_though_two_schedulers_race() {
    let fixture = Fixture::new().await;
    let users: Vec<UserId> = (0..8).map(|n| user(&format!("user-{n}"))).collect();
    for user in &users {
        fixture.remember(user, 2).await;
    }
    let other = fixture.other_store().await;
    let first = Scheduler::new(fixture.app(), fixture.registry());
    let second = Scheduler::new(fixture.app_on(other.vaults()), other.registry());
    assert_eq!(first.round().await.unwrap(), 0, "no user is due yet");
    fixture.clock.advance(Span::days(8));
    let (one, two) = tokio::join!(first.round(), second.round());
    one.unwrap();
    two.unwrap();
    for user in &users {
        assert_eq!(scheduled_runs(&fixture, user).await, 1);
    }
    let worker = fixture.work();
    for user in &users {
        let id = fixture.runs(user).await[0].id;
        assert_eq!(fixture.over(user, id).await.status, MeditationStatus::Complete);
    }
    tokio::time::sleep(Duration::from_millis(600)).await;
    worker.stop().await;
    for user in &users {
        assert_eq!(scheduled_runs(&fixture, user).await, 1, "the due time was moved on");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn user_is_due_again_after_the_interval() {
    let fixture = Fixture::new().await;
    let anna = user("anna");
    fixture.remember(&anna, 2).await;
    let worker = fixture.work();
    for weeks in 1..=3 {
        fixture.clock.advance(Span::days(8));
        let start = std::time::Instant::now();
        while scheduled_runs(&fixture, &anna).await < weeks {
            assert!(start.elapsed() < Duration::from_secs(10), "week {weeks}");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        let id = fixture.runs(&anna).await[0].id;
        fixture.over(&anna, id).await;
    }
    worker.stop().await;
    assert_eq!(scheduled_runs(&fixture, &anna).await, 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn user_whose_vault_fails_is_postponed_and_does_not_stop_others() {
    let fixture = Fixture::new().await;
    let (anna, ben) = (user("anna"), user("ben"));
    fixture.remember(&anna, 1).await;
    fixture.remember(&ben, 1).await;
    fixture.clock.advance(Span::days(8));
    let failing = Fault::Fail(StorageFailure::Corrupt);
    let vaults = Faulty::new(fixture.store.vaults(), "meditation.start_due", 1, failing);
    let scheduler = Scheduler::new(fixture.app_on(vaults), fixture.registry());
    scheduler.round().await.unwrap();
    let runs = scheduled_runs(&fixture, &anna).await + scheduled_runs(&fixture, &ben).await;
    assert_eq!(runs, 1);
    let healthy = Scheduler::new(fixture.app(), fixture.registry());
    assert_eq!(healthy.round().await.unwrap(), 0, "the one that failed waits");
    fixture.clock.advance(Span::hours(1));
    assert_eq!(healthy.round().await.unwrap(), 1);
    for user in [&anna, &ben] {
        assert_eq!(scheduled_runs(&fixture, user).await, 1);
    }
}
