//! No job of a purged user stays, in any state, any queue or any byte of the files.

use std::sync::Arc;
use std::time::Duration;

use kimberly_queue::{EMBED, EMBED_QUEUE, ERASE, HandlerError, MEDITATE, PURGE, QueueOptions};

use crate::common::{Fixture, On, on_both, recorder};

on_both!(jobs_of_a_purged_user_leave_every_queue_whatever_their_state);

fn id(n: u128) -> String {
    uuid::Uuid::from_u128(n).to_string()
}

async fn jobs_of_a_purged_user_leave_every_queue_whatever_their_state(on: On) {
    let fixture = Fixture::new(on).await;
    let options = QueueOptions { name: EMBED_QUEUE.to_owned(), ..QueueOptions::default() };
    let embedder = fixture.another(options).await;
    fixture.queue.push(&MEDITATE.job("tobepurged", "dies", &id(1))).await.unwrap();
    fixture.queue.push(&MEDITATE.job("stays", "dies", &id(2))).await.unwrap();
    let dying = recorder(&Arc::default(), |_, _| Err(HandlerError::permanent("no")));
    let consumer = fixture.consume(dying, 1);
    fixture.eventually("both are dead", Duration::from_secs(20), |stats| stats.dead == 2).await;
    consumer.stop().await;
    for (n, user) in [(3, "tobepurged"), (4, "stays")] {
        fixture.queue.push_after(&ERASE.job(user, "", &id(n)), u64::from(u32::MAX)).await.unwrap();
        fixture.queue.push(&EMBED.job(user, "", &id(n + 10))).await.unwrap();
    }
    assert!(stands(&fixture).await, "the test can find the name");
    assert_eq!(fixture.queue.erase_user("tobepurged").await.unwrap(), 3);
    assert!(!stands(&fixture).await);
    let (ours, theirs) = (fixture.queue.stats().await.unwrap(), embedder.stats().await.unwrap());
    assert_eq!((ours.dead, ours.delayed, theirs.pending), (1, 1, 1));
    assert_eq!(fixture.queue.erase_user("tobepurged").await.unwrap(), 0, "safe to repeat");
}

/// Whether the name occurs in a byte of the files, or in any row of Postgres.
async fn stands(fixture: &Fixture) -> bool {
    if fixture.database.is_some() {
        let rows = "SELECT count(*) FROM jobs WHERE jobs::text || convert_from(job, 'UTF8') LIKE '%tobepurged%'";
        return fixture.number(rows).await > 0;
    }
    let files = ["queue.db", "queue.db-wal"].map(|name| fixture.folder.path().join(name));
    let holds = |bytes: Vec<u8>| bytes.windows(10).any(|window| window == b"tobepurged");
    files.into_iter().any(|file| holds(std::fs::read(file).unwrap_or_default()))
}

#[test]
fn a_job_of_a_purge_names_the_purge_and_no_user() {
    let job = PURGE.job("", "purge_1", "j");
    assert_eq!(
        serde_json::to_string(&job).unwrap(),
        r#"{"v":1,"kind":"purge","user_id":"","subject_id":"purge_1","job_id":"j"}"#
    );
}
