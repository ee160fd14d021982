//! Calls per second and key, by the generic cell rate algorithm: a steady rate, with a burst after a pause.

use std::hash::{BuildHasher as _, Hash, RandomState};
use std::num::NonZeroU32;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use governor::clock::{Clock, MonotonicClock};
use governor::middleware::NoOpMiddleware;
use governor::nanos::Nanos;
use governor::state::StateStore;
use governor::{Quota, RateLimiter};
use hashlink::LruCache;

/// Maximum number of tracked keys. The least recently used one is evicted, and then has a full burst again.
const MAX_KEYS: usize = 65_536;

/// A rate that applies to every key separately.
pub(crate) struct Rate<C: Clock = MonotonicClock> {
    limiter: Option<RateLimiter<u64, Known, C, NoOpMiddleware<C::Instant>>>,
    hasher: RandomState,
}

impl Rate {
    /// Allows `per_second` calls on average and `burst` at once. 0 per second means no limit.
    pub(crate) fn new(per_second: f64, burst: u32) -> Self {
        Self::on(MonotonicClock, MAX_KEYS, per_second, burst)
    }
}

impl<C: Clock> Rate<C> {
    fn on(clock: C, keys: usize, per_second: f64, burst: u32) -> Self {
        let period = Duration::try_from_secs_f64(per_second.recip()).ok();
        let quota = period.and_then(Quota::with_period).zip(NonZeroU32::new(burst));
        let limiter = quota.map(|(quota, burst)| {
            RateLimiter::new(quota.allow_burst(burst), Known(Mutex::new(LruCache::new(keys))), clock)
        });
        Self { limiter, hasher: RandomState::new() }
    }

    /// Accepts a call, or returns the time after which it would be accepted.
    pub(crate) fn check(&self, key: &impl Hash) -> Result<(), Duration> {
        let Some(limiter) = &self.limiter else { return Ok(()) };
        let now = limiter.clock().now();
        limiter.check_key(&self.hasher.hash_one(key)).map_err(|until| until.wait_time_from(now))
    }
}

impl<C: Clock> std::fmt::Debug for Rate<C> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Rate").field("limited", &self.limiter.is_some()).finish_non_exhaustive()
    }
}

/// When each key may call again, for a bounded number of keys.
struct Known(Mutex<LruCache<u64, Nanos>>);

impl StateStore for Known {
    type Key = u64;

    fn measure_and_replace<T, F, E>(&self, key: &u64, f: F) -> Result<T, E>
    where
        F: Fn(Option<Nanos>) -> Result<(T, Nanos), E>,
    {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (outcome, next) = f(known.get(key).copied())?;
        known.insert(*key, next);
        Ok(outcome)
    }
}

#[cfg(test)]
mod tests {
    use governor::clock::FakeRelativeClock;

    use super::*;

    /// Creates a rate on a clock that the test moves.
    fn rate(keys: usize, per_second: f64, burst: u32) -> (Rate<FakeRelativeClock>, FakeRelativeClock) {
        let clock = FakeRelativeClock::default();
        (Rate::on(clock.clone(), keys, per_second, burst), clock)
    }

    fn allowed(rate: &Rate<FakeRelativeClock>, key: &str, calls: usize) -> usize {
        (0..calls).filter(|_| rate.check(&key).is_ok()).count()
    }

    #[test]
    fn burst_is_allowed_at_once_and_then_the_rate() {
        let (rate, clock) = rate(100, 10.0, 5);
        assert_eq!(allowed(&rate, "ada", 20), 5);
        assert_eq!(allowed(&rate, "bob", 20), 5, "every user has a separate rate");
        let after = rate.check(&"ada").unwrap_err();
        assert_eq!(after, Duration::from_millis(100));
        clock.advance(Duration::from_millis(99));
        assert_eq!(allowed(&rate, "ada", 20), 0);
        clock.advance(Duration::from_millis(1));
        assert_eq!(allowed(&rate, "ada", 20), 1, "a caller that waits as long as the answer says is served");
        clock.advance(Duration::from_mins(1));
        assert_eq!(allowed(&rate, "ada", 20), 5);
    }

    #[test]
    fn rates_below_one_per_second_are_enforced() {
        let (rate, clock) = rate(100, 0.1, 1);
        assert_eq!(allowed(&rate, "ada", 2), 1);
        clock.advance(Duration::from_secs(9));
        assert_eq!(allowed(&rate, "ada", 2), 0);
        clock.advance(Duration::from_secs(1));
        assert_eq!(allowed(&rate, "ada", 2), 1);
    }

    #[test]
    fn no_rate_is_no_limit() {
        assert_eq!(allowed(&rate(100, 0.0, 1).0, "ada", 1_000), 1_000);
    }

    #[test]
    fn keys_beyond_the_bound_evict_the_least_recent_caller() {
        let (rate, _clock) = rate(100, 0.001, 1);
        assert_eq!(allowed(&rate, "ada", 2), 1);
        for stranger in 0..99 {
            assert!(rate.check(&stranger).is_ok());
        }
        assert_eq!(allowed(&rate, "ada", 1), 0, "known as long as there is room");
        for stranger in 100..1_000 {
            assert!(rate.check(&stranger).is_ok());
        }
        assert_eq!(allowed(&rate, "ada", 1), 1, "a forgotten key starts afresh");
    }
}
