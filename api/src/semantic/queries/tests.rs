//! Tests of vectors of queries, with the test's own clock.

use std::sync::atomic::AtomicUsize;

use super::*;

const DEADLINE: Duration = Duration::from_millis(25);

/// An embedder that answers after a pause, as the test sets it up.
#[derive(Default)]
struct Fake {
    calls: AtomicUsize,
    probes: AtomicUsize,
    takes: Mutex<Duration>,
    fails: Mutex<Option<NoVector>>,
}

#[async_trait]
impl Embed for Arc<Fake> {
    async fn embed(&self, _: &ModelKey, text: &str, _: Duration) -> Result<Vec<f32>, NoVector> {
        if text == PROBE { &self.probes } else { &self.calls }.fetch_add(1, Ordering::SeqCst);
        let takes = *self.takes.lock().unwrap();
        tokio::time::sleep(takes).await;
        match *self.fails.lock().unwrap() {
            Some(why) => Err(why),
            None => Ok(vec![1.0]),
        }
    }
}

fn model(id: &str) -> ModelKey {
    ModelKey::new(id, "0123456789abcdef", 1).unwrap()
}

fn queries(capacity: usize) -> (Arc<Fake>, Queries<Arc<Fake>>) {
    let fake = Arc::new(Fake::default());
    (Arc::clone(&fake), Queries::new(fake, DEADLINE, capacity))
}

impl Fake {
    fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }
}

#[tokio::test(start_paused = true)]
async fn same_text_is_embedded_once_by_each_model() {
    let (fake, queries) = queries(10);
    for _ in 0..3 {
        assert_eq!(queries.embed_query(&model("a"), "x").await.unwrap()[..], [1.0]);
        queries.embed_query(&model("b"), "x").await.unwrap();
        queries.embed_query(&model("a"), "y").await.unwrap();
    }
    assert_eq!(fake.calls(), 3);
}

#[tokio::test(start_paused = true)]
async fn what_was_not_asked_for_longest_is_forgotten_first() {
    let (fake, queries) = queries(2);
    for text in ["x", "y", "x", "z", "x", "y"] {
        queries.embed_query(&model("a"), text).await.unwrap();
    }
    assert_eq!(fake.calls(), 4, "x, y, z, and y again");
    let (fake, none) = self::queries(0);
    for _ in 0..2 {
        none.embed_query(&model("a"), "x").await.unwrap();
    }
    assert_eq!(fake.calls(), 2, "nothing is kept");
}

#[tokio::test(start_paused = true)]
async fn slow_embedder_costs_one_deadline_and_is_passed_over_until_it_is_fast() {
    let (fake, queries) = queries(10);
    *fake.takes.lock().unwrap() = DEADLINE * 2;
    let started = tokio::time::Instant::now();
    assert_eq!(queries.embed_query(&model("a"), "x").await, Err(NoVector::TimedOut));
    assert_eq!(started.elapsed(), DEADLINE);
    for n in 0..100 {
        assert_eq!(queries.embed_query(&model("a"), &n.to_string()).await, Err(NoVector::TimedOut));
    }
    assert_eq!((started.elapsed(), fake.calls()), (DEADLINE, 1), "no other query waits or asks");
    tokio::time::sleep(Duration::from_secs(30)).await;
    assert!(fake.probes.load(Ordering::SeqCst) > 5, "it is probed");
    assert_eq!(queries.embed_query(&model("a"), "new").await, Err(NoVector::TimedOut), "still slow");
    assert!(queries.embed_query(&model("a"), "x").await.is_ok(), "the late answer was kept");
    *fake.takes.lock().unwrap() = DEADLINE / 2;
    tokio::time::sleep(PAUSES.1 * 2).await;
    assert!(queries.embed_query(&model("a"), "new").await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn occasional_late_answers_cost_no_other_query_its_vector() {
    let (fake, queries) = queries(0);
    let ask = async |takes: Duration| {
        *fake.takes.lock().unwrap() = takes;
        queries.embed_query(&model("a"), "x").await
    };
    for _ in 0..10 {
        for _ in 0..IN_TIME_FOR_A_LATE_ONE {
            assert!(ask(DEADLINE / 2).await.is_ok());
        }
        assert_eq!(ask(DEADLINE * 2).await, Err(NoVector::TimedOut));
    }
    assert_eq!(ask(DEADLINE * 2).await, Err(NoVector::TimedOut));
    let asked = fake.calls();
    assert_eq!(ask(DEADLINE / 2).await, Err(NoVector::TimedOut), "two of them in a row are too many");
    assert_eq!(fake.calls(), asked);
}

#[tokio::test(start_paused = true)]
async fn embedder_that_stands_still_after_good_times_costs_a_few_deadlines() {
    let (fake, queries) = queries(0);
    for _ in 0..1_000 {
        queries.embed_query(&model("a"), "x").await.unwrap();
    }
    *fake.takes.lock().unwrap() = Duration::from_hours(1);
    let started = tokio::time::Instant::now();
    for _ in 0..100 {
        assert_eq!(queries.embed_query(&model("a"), "x").await, Err(NoVector::TimedOut));
    }
    assert_eq!(started.elapsed(), DEADLINE * (MOST_LATE + 1));
}

#[tokio::test(start_paused = true)]
async fn embedder_that_fails_is_passed_over_until_it_answers() {
    let (fake, queries) = queries(10);
    *fake.fails.lock().unwrap() = Some(NoVector::Unavailable);
    for _ in 0..100 {
        assert_eq!(queries.embed_query(&model("a"), "x").await, Err(NoVector::Unavailable));
    }
    assert_eq!(fake.calls(), 1);
    *fake.fails.lock().unwrap() = None;
    tokio::time::sleep(PAUSES.1 * 2).await;
    assert!(queries.embed_query(&model("a"), "x").await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn an_unknown_model_is_asked_again_and_blocks_no_other_model() {
    let (fake, queries) = queries(10);
    *fake.fails.lock().unwrap() = Some(NoVector::NoSuchModel);
    for _ in 0..3 {
        assert_eq!(queries.embed_query(&model("a"), "x").await, Err(NoVector::NoSuchModel));
    }
    assert_eq!(fake.calls(), 3);
    *fake.fails.lock().unwrap() = None;
    assert!(queries.embed_query(&model("b"), "x").await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn probes_end_with_who_wanted_them() {
    let (fake, queries) = queries(10);
    *fake.fails.lock().unwrap() = Some(NoVector::Unavailable);
    assert!(queries.embed_query(&model("a"), "x").await.is_err());
    drop(queries);
    tokio::time::sleep(PAUSES.1).await;
    let probes = fake.probes.load(Ordering::SeqCst);
    tokio::time::sleep(PAUSES.1 * 10).await;
    assert_eq!(fake.probes.load(Ordering::SeqCst), probes);
}
