//! Of a user who is purged no job stays, in no state, in no queue and in no byte of the files.

use std::sync::Arc;
use std::time::Duration;

use kimberly_queue::{EMBED_QUEUE, HandlerError, JobEnvelope, Queue, QueueOptions};

use crate::common::{Fixture, recorder};

fn id(n: u128) -> String {
    uuid::Uuid::from_u128(n).to_string()
}

#[tokio::test]
async fn jobs_of_a_purged_user_leave_every_queue_whatever_their_state() {
    let fixture = Fixture::new().await;
    let options = QueueOptions { name: EMBED_QUEUE.to_owned(), ..QueueOptions::default() };
    let embedder = Queue::open_with(fixture.path(), options).await.unwrap();
    fixture.queue.push(&JobEnvelope::meditate("tobepurged", "dies", &id(1))).await.unwrap();
    fixture.queue.push(&JobEnvelope::meditate("stays", "dies", &id(2))).await.unwrap();
    let dying = recorder(&Arc::default(), |_, _| Err(HandlerError::permanent("no")));
    let consumer = fixture.consume(dying, 1);
    fixture.eventually("both are dead", Duration::from_secs(20), |stats| stats.dead == 2).await;
    consumer.stop().await;
    for (n, user) in [(3, "tobepurged"), (4, "stays")] {
        fixture.queue.push_after(&JobEnvelope::erase(user, &id(n)), u64::from(u32::MAX)).await.unwrap();
        fixture.queue.push(&JobEnvelope::embed(user, &id(n + 10))).await.unwrap();
    }
    let stands = || {
        let files = ["queue.db", "queue.db-wal"].map(|name| fixture.folder.path().join(name));
        let holds = |bytes: Vec<u8>| bytes.windows(10).any(|window| window == b"tobepurged");
        files.into_iter().any(|file| holds(std::fs::read(file).unwrap_or_default()))
    };
    assert!(stands(), "the test sees what it looks for");
    assert_eq!(fixture.queue.erase_user("tobepurged").await.unwrap(), 3);
    assert!(!stands());
    let (ours, theirs) = (fixture.queue.stats().await.unwrap(), embedder.stats().await.unwrap());
    assert_eq!((ours.dead, ours.delayed, theirs.pending), (1, 1, 1));
    assert_eq!(fixture.queue.erase_user("tobepurged").await.unwrap(), 0, "safe to repeat");
}

#[test]
fn a_job_of_a_purge_names_the_purge_and_nobody() {
    let job = JobEnvelope::purge("purge_1", "j");
    assert!(job.is_purge());
    assert_eq!(
        serde_json::to_string(&job).unwrap(),
        r#"{"v":1,"kind":"purge","user_id":"","subject_id":"purge_1","job_id":"j"}"#
    );
}
