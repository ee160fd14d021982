//! Kill -9 during work: of the embedder while it builds indices, of the api while it reads them.
//!
//! Three users write, delete and recall continuously, and request rebuilds of all vectors occasionally, so that most
//! kills hit the building of an index.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use kimberly_proto::v1 as pb;
use kimberly_tests::User;
use kimberly_tests::drafts::draft;
use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};

use super::world::{embedding, has};

/// Initial memories per user: several batches for the model.
const AT_FIRST: usize = 200;
/// Rounds of a writer between two rebuilds.
const REBUILD_EVERY: u32 = 8;
/// Memories per user whose vectors are verified in the end.
const COMPARED: usize = 25;

/// `KIMBERLY_TEST_KILLS`, or few by default.
fn cycles() -> u32 {
    std::env::var("KIMBERLY_TEST_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(10)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kills_lose_no_vector_leave_no_lock_and_give_no_wrong_result() {
    let settings = [
        ("KIMBERLY_WORKER__MAX_ATTEMPTS", "100"),
        ("KIMBERLY_EMBEDDING__DAILY_LIMIT", "0"),
        ("KIMBERLY_EMBEDDING__WEEKLY_LIMIT", "0"),
        ("KIMBERLY_EMBEDDING__VECTOR_CAP", "100000"),
    ];
    let mut system = embedding(&settings).await;
    let stop = Arc::new(AtomicBool::new(false));
    let writers: Vec<_> =
        (0..3).map(|n| tokio::spawn(write(system.user(&format!("user {n}")), Arc::clone(&stop)))).collect();
    let mut dice = StdRng::seed_from_u64(4);
    for cycle in 0..cycles() {
        tokio::time::sleep(Duration::from_millis(dice.random_range(20..600))).await;
        if cycle % 3 < 2 {
            system.embedder.kill9();
            system.embedder.start_again();
        }
        if cycle % 3 > 0 {
            system.api.kill9();
            system.api.start_again();
        }
        system.wait_until_serving().await;
    }
    stop.store(true, Ordering::SeqCst);
    for (n, writer) in writers.into_iter().enumerate() {
        let held = writer.await.expect("a writer ends well");
        let user = system.user(&format!("user {n}"));
        has(&user, held).await;
        assert_all_referenced(user).await;
        assert_own_vectors(system.user(&format!("user {n}"))).await;
    }
}

/// Writes, deletes and recalls until stopped; returns how many memories are left. Results must never be another
/// user's or deleted.
async fn write(mut user: User, stop: Arc<AtomicBool>) -> i64 {
    let mut round = 0;
    while !stop.load(Ordering::SeqCst) {
        round += 1;
        let notes = if round == 1 { AT_FIRST } else { 4 };
        let about = |n: usize| ["the garden", "a train to Rome", "tax papers", "my sister's wedding"][n % 4];
        let drafts = (0..notes).map(|n| draft(&format!("{}: note {n} of round {round}, {}", user.id, about(n))));
        let drafts = drafts.collect();
        let request = pb::BatchCreateMemoriesRequest {
            user_id: user.id(),
            memories: drafts,
            request_id: format!("w{round}"),
            always_new: true,
        };
        let made = until_answered(&stop, || {
            let (mut client, request) = (user.clients.memories.clone(), request.clone());
            async move { client.batch_create_memories(request).await }
        })
        .await;
        let Some(made) = made else { break };
        let gone = made.receipts[0].id.clone();
        let request = pb::DeleteMemoryRequest {
            user_id: user.id(),
            id: gone.clone(),
            request_id: format!("d{round}"),
            ..Default::default()
        };
        until_answered(&stop, || {
            let (mut client, request) = (user.clients.memories.clone(), request.clone());
            async move { client.delete_memory(request).await }
        })
        .await;
        let query = pb::QueryMemoriesRequest {
            user_id: user.id(),
            query: "what grows behind the house?".to_owned(),
            ..Default::default()
        };
        if let Ok(answer) = user.clients.memories.query_memories(query).await {
            for memory in answer.into_inner().results.into_iter().filter_map(|result| result.memory) {
                assert!(memory.content.starts_with(&user.id), "{} sees {}", user.id, memory.content);
                assert_ne!(memory.id, gone);
            }
        }
        if round % REBUILD_EVERY == 0 {
            // This may fail if the api is being killed; then a later request does it.
            let request = pb::RebuildDerivedRequest { user_id: user.id(), vectors: true };
            let _ = user.clients.maintenance.rebuild_derived(request).await;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    count(&mut user).await
}

/// Retries a write with the same request id until it succeeds; gives up if stopped without a response.
async fn until_answered<T, F>(stop: &AtomicBool, mut call: impl FnMut() -> F) -> Option<T>
where
    F: Future<Output = Result<tonic::Response<T>, tonic::Status>>,
{
    let mut tries = 0;
    loop {
        match call().await {
            Ok(answer) => return Some(answer.into_inner()),
            Err(status) if tries > 2_000 => panic!("no answer: {status}"),
            Err(_) if stop.load(Ordering::SeqCst) && tries > 100 => return None,
            Err(_) => tries += 1,
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

async fn count(user: &mut User) -> i64 {
    i64::try_from(user.list(pb::MemoryFilter::default()).await.len()).expect("few memories")
}

async fn assert_all_referenced(mut user: User) {
    for memory in user.list(pb::MemoryFilter::default()).await {
        assert!(!memory.embedding_ref.is_empty(), "{} has no vector", memory.id);
    }
}

/// A query with the exact words of a memory finds no vector much nearer than its own, so that none is another's or
/// outdated. Others may be slightly nearer, since the mean of all memories is subtracted from the query.
async fn assert_own_vectors(mut user: User) {
    let memories = user.list(pb::MemoryFilter::default()).await;
    let every = (memories.len() / COMPARED).max(1);
    for memory in memories.into_iter().step_by(every) {
        let request = pb::QueryMemoriesRequest {
            user_id: user.id(),
            query: memory.content.clone(),
            top_k: 100,
            explain: true,
            ..Default::default()
        };
        let answer = user.clients.memories.query_memories(request).await.expect("an answer").into_inner();
        assert_eq!(answer.semantic(), pb::SemanticStatus::Used);
        let cosine = |one: &pb::QueryResult| one.explanation.as_ref().and_then(|why| why.cosine);
        let own = answer.results.iter().find(|one| one.memory.as_ref().is_some_and(|found| found.id == memory.id));
        let own = own.and_then(cosine).expect("its own vector was compared");
        let nearest = answer.results.iter().filter_map(cosine).fold(own, f64::max);
        assert!(own > nearest - 0.15, "{}: {own}, and {nearest} another", memory.content);
    }
}
