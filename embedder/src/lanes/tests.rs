//! Guarantees of the lanes, on a small model, without running threads where the order matters.

#[path = "../../tests/model/tiny.rs"]
#[allow(dead_code, clippy::allow_attributes, reason = "shared with the tests of the whole")]
mod tiny;

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use super::*;
use crate::model::{Options, Precision, Purpose, Workspace};

fn model() -> Arc<Model> {
    let folder = tempfile::tempdir().unwrap();
    tiny::Tiny::default().write(folder.path());
    Arc::new(Model::open(folder.path(), &Options::new(Precision::F32)).unwrap())
}

fn texts(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// Polls once, like an otherwise idle runtime.
fn poll<F: Future>(future: std::pin::Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

/// Takes the next batch of a lane.
fn next(embedder: &Embedder, lane: Lane, budget: usize) -> Vec<String> {
    let batch = embedder.shared.queues.next(lane, budget, embedder.model().window(), 1).unwrap();
    batch.into_iter().map(|item| item.text).collect()
}

#[tokio::test]
async fn vectors_come_in_the_order_of_the_texts_whatever_batches_were_made() {
    let model = model();
    for threads in [1, 3] {
        let embedder = Embedder::start(Arc::clone(&model), threads).unwrap();
        let asked: Vec<String> = (0..300usize).map(|at| "cat ".repeat(at * 7 % 30) + &"s".repeat(at % 11)).collect();
        let found = embedder.embed(asked.clone(), Lane::Bulk).await.unwrap();
        for (text, vector) in asked.iter().zip(&found) {
            let tokens = model.tokenize(text, Purpose::Document).unwrap();
            let alone = model.embed(&[tokens], &mut Workspace::default()).unwrap();
            let cosine: f32 = alone[0].iter().zip(vector).map(|(a, b)| a * b).sum();
            assert!((cosine - 1.0).abs() < 1e-5, "{text:?}: {cosine}");
        }
        assert_eq!(embedder.embed(Vec::new(), Lane::Query).await, Ok(Vec::new()));
        assert_eq!((embedder.waiting(Lane::Bulk), embedder.waiting(Lane::Query)), (0, 0));
    }
}

#[test]
fn queries_do_not_wait_for_bulk_work_nor_bulk_work_for_queries() {
    let embedder = Embedder::idle(model());
    let mut bulk = pin!(embedder.embed(texts(&["a", "b", "c"]), Lane::Bulk));
    let mut query = pin!(embedder.embed(texts(&["q"]), Lane::Query));
    assert!(poll(bulk.as_mut()).is_pending() && poll(query.as_mut()).is_pending());
    assert_eq!(next(&embedder, Lane::Query, 1_000), ["q"]);
    assert_eq!(next(&embedder, Lane::Bulk, 1_000), ["a", "b", "c"]);
}

#[test]
fn batches_stay_within_their_token_budget_but_hold_one_text_at_least() {
    let embedder = Embedder::idle(model());
    let long = "x".repeat(400);
    let mut bulk = pin!(embedder.embed(texts(&["aaaa", "bbbb", &long, "cccc"]), Lane::Bulk));
    assert!(poll(bulk.as_mut()).is_pending());
    // Two special tokens and one word each: 3 tokens; the long text counts as a whole window of 24.
    assert_eq!(next(&embedder, Lane::Bulk, 6), ["aaaa", "bbbb"]);
    assert_eq!(next(&embedder, Lane::Bulk, 6), [long.as_str()]);
    assert_eq!(next(&embedder, Lane::Bulk, 6), ["cccc"]);
}

#[test]
fn texts_of_a_dropped_future_are_not_computed() {
    let embedder = Embedder::idle(model());
    let mut kept = Box::pin(embedder.embed(texts(&["kept"]), Lane::Bulk));
    let mut dropped = Box::pin(embedder.embed(texts(&["dropped", "too"]), Lane::Bulk));
    let mut last = Box::pin(embedder.embed(texts(&["last"]), Lane::Bulk));
    assert!(
        poll(dropped.as_mut()).is_pending() && poll(kept.as_mut()).is_pending() && poll(last.as_mut()).is_pending()
    );
    drop(dropped);
    assert_eq!(next(&embedder, Lane::Bulk, 1_000), ["kept", "last"]);
    drop((kept, last));
}

#[tokio::test]
async fn abandoned_queries_block_no_waiting_ones() {
    let embedder = Embedder::start(model(), 1).unwrap();
    for _ in 0..200 {
        let mut query = Box::pin(embedder.embed(texts(&["gone"]), Lane::Query));
        let mut bulk = Box::pin(embedder.embed(texts(&["dropped"]), Lane::Bulk));
        // The threads are running, so it may have completed already.
        let (_, _) = (poll(query.as_mut()), poll(bulk.as_mut()));
        drop((query, bulk));
        assert!(embedder.embed(texts(&["too"]), Lane::Bulk).await.is_ok_and(|vectors| vectors.len() == 1));
    }
    assert_eq!(embedder.embed(texts(&["q"]), Lane::Query).await.unwrap().len(), 1);
}

#[tokio::test]
async fn texts_tokens_and_what_waits_are_counted() {
    let metrics = kimberly_runtime::Metrics::detached();
    let embedder = Embedder::metered(model(), 1, &Meter::of(metrics.clone())).unwrap();
    embedder.embed(texts(&["the cat", "the"]), Lane::Bulk).await.unwrap();
    embedder.embed(texts(&["cats"]), Lane::Query).await.unwrap();
    let found = metrics.snapshot();
    let value = |name: &str| found.iter().find(|(found, _)| found == name).unwrap().1;
    for (name, expected) in [
        ("embedding.model.texts", 3.0),
        // Two special tokens each; "cats" is two tokens.
        ("embedding.model.tokens", 11.0),
        ("embedding.queue.bulk", 0.0),
        ("embedding.queue.queries", 0.0),
    ] {
        assert!((value(name) - expected).abs() < 1e-9, "{name}: {found:?}");
    }
    assert!(value("embedding.model.batch_time.count") >= 2.0, "{found:?}");
}

#[test]
fn queries_beyond_the_bound_are_refused_and_bulk_work_waits_for_room() {
    let embedder = Embedder::idle(model());
    let mut full = pin!(embedder.embed(vec![String::new(); MAX_WAITING_QUERIES], Lane::Query));
    assert!(poll(full.as_mut()).is_pending());
    let mut one_more = pin!(embedder.embed(texts(&["q"]), Lane::Query));
    assert_eq!(poll(one_more.as_mut()), Poll::Ready(Err(EmbedError::Busy)));
    let mut bulk = pin!(embedder.embed(vec![String::new(); MAX_WAITING_BULK + 5], Lane::Bulk));
    assert!(poll(bulk.as_mut()).is_pending());
    assert_eq!(embedder.waiting(Lane::Bulk), MAX_WAITING_BULK);
    // Taking some of them makes room for the rest.
    let taken = next(&embedder, Lane::Bulk, 1_000).len();
    assert_eq!(taken, 64);
    assert!(poll(bulk.as_mut()).is_pending());
    assert_eq!(embedder.waiting(Lane::Bulk), MAX_WAITING_BULK - taken + 5);
}

#[tokio::test]
async fn when_the_last_clone_goes_what_waits_is_refused() {
    let embedder = Embedder::idle(model());
    let queues = Arc::clone(&embedder.shared.queues);
    let mut waiting = Box::pin({
        let embedder = embedder.clone();
        async move { embedder.embed(texts(&["a"]), Lane::Bulk).await }
    });
    assert!(poll(waiting.as_mut()).is_pending());
    queues.stop();
    assert_eq!(waiting.await, Err(EmbedError::Stopping));
    assert!(queues.next(Lane::Bulk, 1, 1, 1).is_none() && queues.next(Lane::Query, 1, 1, 1).is_none());
    assert_eq!(embedder.embed(texts(&["b"]), Lane::Query).await, Err(EmbedError::Stopping));
}
