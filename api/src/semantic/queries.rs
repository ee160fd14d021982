//! Returns vectors of queries within a bounded time.
//!
//! Computed vectors are cached by a hash of model and text. If the embedder fails, or is too slow more than
//! occasionally, it is skipped: callers do not wait for it until it has answered a probe in time. A single slow answer
//! among many in time affects only its own caller. While the embedder hangs, a few callers thus lose one deadline each,
//! and all others none.

use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use async_trait::async_trait;
use hashlink::LruCache;
use kimberly_core::embedding::ModelKey;
use kimberly_core::ports::{BoxFuture, NoVector, QueryEmbedder};
use sha2::{Digest as _, Sha256};
use tokio::time::timeout;

#[cfg(test)]
mod tests;

/// Pauses between probes: the first and the longest. Each pause is twice as long as the previous one.
const PAUSES: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(5));
/// Number of answers in time that compensate one late answer.
const IN_TIME_FOR_A_LATE_ONE: u32 = 20;
/// Maximum number of late answers in a row that are compensated.
const MOST_LATE: u32 = 3;
/// How many deadlines an answer may take and still be cached for the next caller with the same query.
const LATE: u32 = 8;
/// The text that a probe embeds.
const PROBE: &str = "probe";

/// Embeds one query.
#[async_trait]
pub(super) trait Embed: Send + Sync + 'static {
    /// Returns the vector of a text by a model. A vector that takes longer than `within` is not needed.
    async fn embed(&self, model: &ModelKey, text: &str, within: Duration) -> Result<Vec<f32>, NoVector>;
}

/// Vectors of queries, from an embedder that may be unavailable. Cheap to clone.
pub(super) struct Queries<E>(Arc<Inner<E>>);

struct Inner<E> {
    embedder: E,
    deadline: Duration,
    cached: Mutex<LruCache<[u8; 16], Arc<[f32]>>>,
    capacity: usize,
    passed_over: PassedOver,
    /// Answers in time that have not compensated a late one yet.
    in_time: AtomicU32,
}

/// Whether and why the embedder is skipped.
#[derive(Debug, Default)]
struct PassedOver(AtomicU8);

impl PassedOver {
    fn why(&self) -> Option<NoVector> {
        match self.0.load(Ordering::Acquire) {
            0 => None,
            1 => Some(NoVector::Unavailable),
            _ => Some(NoVector::TimedOut),
        }
    }

    /// Starts to skip the embedder. Returns `false` if it was skipped already.
    fn begin(&self, why: NoVector) -> bool {
        let reason = if why == NoVector::TimedOut { 2 } else { 1 };
        self.0.compare_exchange(0, reason, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }

    fn end(&self) {
        self.0.store(0, Ordering::Release);
    }
}

impl<E: Embed> Queries<E> {
    /// Creates a cache of the latest `capacity` vectors in front of `embedder`, with a wait of at most `deadline`.
    pub(super) fn new(embedder: E, deadline: Duration, capacity: usize) -> Self {
        let cached = Mutex::new(LruCache::new_unbounded());
        let (passed_over, in_time) = (PassedOver::default(), AtomicU32::new(0));
        Self(Arc::new(Inner { embedder, deadline, cached, capacity, passed_over, in_time }))
    }
}

impl<E: Embed> QueryEmbedder for Queries<E> {
    fn embed_query(&self, model: &ModelKey, text: &str) -> BoxFuture<'_, Result<Arc<[f32]>, NoVector>> {
        let (key, model, text) = (key(model, text), model.clone(), text.to_owned());
        Box::pin(async move {
            let inner = &self.0;
            if let Some(vector) = inner.cached(&key) {
                return Ok(vector);
            }
            if let Some(why) = inner.passed_over.why() {
                return Err(why);
            }
            let computing = tokio::spawn(Arc::clone(inner).compute(key, model.clone(), text));
            let vector = match timeout(inner.deadline, computing).await {
                Ok(Ok(vector)) => vector,
                Ok(Err(_)) => Err(NoVector::Unavailable),
                Err(_) => Err(NoVector::TimedOut),
            };
            match vector {
                Ok(_) => inner.was_in_time(),
                Err(NoVector::NoSuchModel) => {}
                // A text that a model cannot process fails too, which does not concern other queries.
                Err(_) if inner.is_made_up_for() => {}
                Err(why) => inner.pass_over(why, model),
            }
            vector
        })
    }
}

impl<E: Embed> Inner<E> {
    /// Computes and caches a vector. Continues when its caller stops waiting, so that the next caller with the same
    /// query need not wait.
    async fn compute(self: Arc<Self>, key: [u8; 16], model: ModelKey, text: String) -> Result<Arc<[f32]>, NoVector> {
        let vector: Arc<[f32]> = self.embedder.embed(&model, &text, self.deadline * LATE).await?.into();
        self.cache(key, &vector);
        Ok(vector)
    }

    fn was_in_time(&self) {
        let one_more = |n: u32| (n < IN_TIME_FOR_A_LATE_ONE * MOST_LATE).then_some(n + 1);
        let _ = self.in_time.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more);
    }

    /// Reports whether enough answers were in time to compensate a late one. Each of them counts once.
    fn is_made_up_for(&self) -> bool {
        let fewer = |n: u32| n.checked_sub(IN_TIME_FOR_A_LATE_ONE);
        self.in_time.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fewer).is_ok()
    }

    /// Skips the embedder until it answers a probe in time.
    fn pass_over(self: &Arc<Self>, why: NoVector, model: ModelKey) {
        if self.passed_over.begin(why) {
            tracing::warn!("{}; recall uses words alone until it does", describe(why));
            tokio::spawn(probe(Arc::downgrade(self), model));
        }
    }

    fn cached(&self, key: &[u8; 16]) -> Option<Arc<[f32]>> {
        self.cached.lock().unwrap_or_else(PoisonError::into_inner).get(key).cloned()
    }

    fn cache(&self, key: [u8; 16], vector: &Arc<[f32]>) {
        let mut cached = self.cached.lock().unwrap_or_else(PoisonError::into_inner);
        cached.insert(key, Arc::clone(vector));
        while cached.len() > self.capacity {
            cached.remove_lru();
        }
    }
}

/// Probes until the embedder answers in time or the process ends.
async fn probe<E: Embed>(of: Weak<Inner<E>>, model: ModelKey) {
    let (mut pause, longest) = PAUSES;
    loop {
        tokio::time::sleep(pause).await;
        let Some(inner) = of.upgrade() else { return };
        let answered = timeout(inner.deadline, inner.embedder.embed(&model, PROBE, inner.deadline)).await;
        if matches!(answered, Ok(Ok(_) | Err(NoVector::NoSuchModel))) {
            inner.passed_over.end();
            tracing::info!("the embedder answers in time again");
            return;
        }
        pause = longest.min(pause * 2);
    }
}

fn describe(why: NoVector) -> &'static str {
    if why == NoVector::TimedOut { "the embedder does not answer in time" } else { "the embedder does not answer" }
}

/// Returns the first half of a hash over model and text.
fn key(model: &ModelKey, text: &str) -> [u8; 16] {
    let digest: [u8; 32] =
        Sha256::new().chain_update(model.slug()).chain_update([0]).chain_update(text).finalize().into();
    let mut key = [0; 16];
    key.copy_from_slice(&digest[..16]);
    key
}
