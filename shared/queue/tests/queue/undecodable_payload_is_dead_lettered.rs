//! Undecodable rows become dead letters with a reason; the worker survives and other jobs run.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use std::time::Duration;

use crate::common::{Fixture, On, Runs, job, on_both, recorder};

on_both!(
    an_undecodable_payload_is_dead_lettered_and_others_go_on,
    a_malformed_row_that_appears_later_does_not_end_the_consumer,
    attempts_are_checked_before_anything_is_run,
    a_payload_of_a_newer_version_waits_for_a_newer_process
);

async fn insert(fixture: &Fixture, payload: &str, id: &str, attempts: i64) {
    let (queue, at) = (fixture.job_type(), if fixture.database.is_some() { "to_timestamp(0)" } else { "0" });
    let insert = "INSERT INTO jobs (job, id, job_type, status, attempts, max_attempts, run_at) VALUES ";
    fixture.run(&format!("{insert} ('{payload}', '{id}', '{queue}', 'Pending', {attempts}, 5, {at})")).await;
}

async fn an_undecodable_payload_is_dead_lettered_and_others_go_on(on: On) {
    let fixture = Fixture::new(on).await;
    let runs = Runs::default();
    insert(&fixture, "{\"v\":1,\"kind\":\"secret text\"}", "01ARZ3NDEKTSV4RRFFQ69G5FA1", 0).await;
    insert(&fixture, "not json, secret text", "01ARZ3NDEKTSV4RRFFQ69G5FA2", 0).await;
    insert(&fixture, "{}", "no-ulid", 0).await;
    fixture.queue.push(&job(1)).await.unwrap();
    let consumer = fixture.consume(recorder(&runs, |_, _| Ok(())), 1);
    fixture.eventually("3 dead, 1 done", Duration::from_secs(5), |s| s.dead == 3 && s.done == 1).await;
    assert_eq!(fixture.queue.consumer_health().restarts, 0);
    consumer.stop().await;
    for letter in fixture.queue.dead_letters(10).await.unwrap() {
        tracing::info!("{}: {}", letter.task_id, letter.error);
        assert!(letter.error.contains("undecodable payload") || letter.error == "malformed task id");
        assert!(!letter.error.contains("secret"));
    }
    assert_eq!(runs.lock().unwrap().len(), 1);
}

async fn a_malformed_row_that_appears_later_does_not_end_the_consumer(on: On) {
    let fixture = Fixture::new(on).await;
    let runs = Runs::default();
    let consumer = fixture.consume(recorder(&runs, |_, _| Ok(())), 1);
    tokio::time::sleep(Duration::from_millis(200)).await;
    insert(&fixture, "{}", "no-ulid", 0).await;
    fixture.queue.push(&job(1)).await.unwrap();
    fixture.eventually("1 dead, 1 done", Duration::from_secs(5), |s| s.dead == 1 && s.done == 1).await;
    assert!(!consumer.task.is_finished());
    consumer.stop().await;
}

async fn attempts_are_checked_before_anything_is_run(on: On) {
    let fixture = Fixture::new(on).await;
    let runs = Runs::default();
    let payload = serde_json::to_string(&job(7)).unwrap();
    insert(&fixture, &payload, "01ARZ3NDEKTSV4RRFFQ69G5FA3", 5).await;
    let consumer = fixture.consume(recorder(&runs, |_, _| Ok(())), 1);
    fixture.eventually("dead", Duration::from_secs(5), |s| s.dead == 1).await;
    consumer.stop().await;
    assert!(runs.lock().unwrap().is_empty());
    assert_eq!(fixture.queue.dead_letters(1).await.unwrap()[0].attempts, 5);
}

async fn a_payload_of_a_newer_version_waits_for_a_newer_process(on: On) {
    let fixture = Fixture::new(on).await;
    let runs = Runs::default();
    insert(&fixture, "{\"v\":2,\"what\":\"ever\"}", "01ARZ3NDEKTSV4RRFFQ69G5FA4", 0).await;
    let consumer = fixture.consume(recorder(&runs, |_, _| Ok(())), 1);
    fixture.eventually("delayed", Duration::from_secs(5), |s| s.delayed == 1).await;
    consumer.stop().await;
}
