//! Jobs go to the queue of their kind, and only its consumer takes them.

use crate::common::{Fixture, On, on_both};
use kimberly_queue::{EMBED, EMBED_QUEUE, JobEnvelope, MEDITATE, QueueOptions};

on_both!(a_job_goes_to_the_queue_of_its_kind);

async fn a_job_goes_to_the_queue_of_its_kind(on: On) {
    let fixture = Fixture::new(on).await;
    let worker = &fixture.queue;
    let options = QueueOptions { name: EMBED_QUEUE.to_owned(), ..QueueOptions::default() };
    let embedder = fixture.another(options).await;
    let id = |n: u128| uuid::Uuid::from_u128(n).to_string();
    worker.push(&EMBED.job("ada", "", &id(1))).await.unwrap();
    worker.push(&MEDITATE.job("ada", "med_1", &id(2))).await.unwrap();
    embedder.push_after(&EMBED.job("ada", "", &id(3)), u64::from(u32::MAX)).await.unwrap();
    let (of_worker, of_embedder) = (worker.stats().await.unwrap(), embedder.stats().await.unwrap());
    assert_eq!((of_worker.pending, of_worker.delayed), (1, 0));
    assert_eq!((of_embedder.pending, of_embedder.delayed), (1, 1));
}

#[test]
fn payloads_are_read_as_they_are_written() {
    let before = r#"{"v":1,"kind":"meditate","user_id":"u","subject_id":"m","job_id":"j"}"#;
    let job: JobEnvelope = serde_json::from_str(before).unwrap();
    assert_eq!(serde_json::to_string(&job).unwrap(), before);
    let embed = serde_json::to_string(&EMBED.job("u", "", "j")).unwrap();
    assert_eq!(embed, r#"{"v":1,"kind":"embed","user_id":"u","job_id":"j"}"#);
    assert_eq!(serde_json::from_str::<JobEnvelope>(&embed).unwrap().kind, EMBED.name);
}
