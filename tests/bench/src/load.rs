//! Closed-loop load: a number of clients, each with its own connection, each sending its next call after the last
//! response.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tokio::task::JoinSet;
use tonic::transport::{Channel, Endpoint};

use crate::Result;

/// Opens `count` connections.
pub(crate) async fn connect(address: &str, count: usize) -> Result<Vec<Channel>> {
    let mut channels = Vec::with_capacity(count);
    for _ in 0..count {
        channels.push(Endpoint::from_shared(address.to_owned())?.connect().await?);
    }
    Ok(channels)
}

/// When to stop: at the first of both.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limit {
    /// The total number of calls.
    pub(crate) calls: usize,
    /// The time.
    pub(crate) time: Duration,
}

/// Measurements.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sample {
    /// Sorted times of calls.
    sorted: Vec<Duration>,
    /// Time from the first call to the last response; the sum for joined samples.
    elapsed: Duration,
}

impl Sample {
    /// A sample of sequential calls.
    pub(crate) fn of(taken: &[Duration]) -> Self {
        let mut sorted = taken.to_vec();
        sorted.sort_unstable();
        Self { sorted, elapsed: taken.iter().sum() }
    }

    /// A sample of calls within `time`.
    pub(crate) fn during(mut taken: Vec<Duration>, time: Duration) -> Self {
        taken.sort_unstable();
        Self { sorted: taken, elapsed: time }
    }

    /// Adds the measurements of another round.
    pub(crate) fn join(&mut self, other: Self) {
        self.sorted.extend(other.sorted);
        self.sorted.sort_unstable();
        self.elapsed += other.elapsed;
    }

    /// The number of calls.
    pub(crate) fn calls(&self) -> usize {
        self.sorted.len()
    }

    /// The `share` quantile of the times in milliseconds; NaN without calls.
    pub(crate) fn percentile(&self, share: f64) -> f64 {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_precision_loss,
            clippy::cast_sign_loss,
            reason = "an index below the number of calls"
        )]
        let rank = (share * self.sorted.len() as f64).ceil() as usize;
        self.sorted.get(rank.clamp(1, self.sorted.len().max(1)) - 1).map_or(f64::NAN, |taken| taken.as_secs_f64() * 1e3)
    }

    /// Median in milliseconds.
    pub(crate) fn p50(&self) -> f64 {
        self.percentile(0.50)
    }

    /// 99th percentile in milliseconds.
    pub(crate) fn p99(&self) -> f64 {
        self.percentile(0.99)
    }

    /// Calls per second.
    pub(crate) fn per_second(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "far fewer than 2^52 calls")]
        let calls = self.sorted.len() as f64;
        calls / self.elapsed.as_secs_f64()
    }
}

/// Calls `call(channel, number)` with numbers from `first`, on all channels concurrently. Stops at the first failure,
/// since failing calls measure nothing.
pub(crate) async fn closed_loop<F, R>(channels: &[Channel], first: usize, limit: Limit, call: F) -> Result<Sample>
where
    F: Fn(Channel, usize) -> R + Clone + Send + 'static,
    R: Future<Output = Result<()>> + Send + 'static,
{
    let next = Arc::new(AtomicUsize::new(0));
    let start = Instant::now();
    let mut clients = JoinSet::new();
    for channel in channels {
        let (channel, next, call) = (channel.clone(), Arc::clone(&next), call.clone());
        let take = move || {
            let number = next.fetch_add(1, Ordering::Relaxed);
            (number < limit.calls && start.elapsed() < limit.time).then_some(first + number)
        };
        clients.spawn(client(take, move |number| call(channel.clone(), number)));
    }
    let mut sorted = Vec::new();
    while let Some(client) = clients.join_next().await {
        sorted.extend(client??);
    }
    let elapsed = start.elapsed();
    sorted.sort_unstable();
    Ok(Sample { sorted, elapsed })
}

/// One client: calls while numbers remain; returns the times.
async fn client<R>(take: impl Fn() -> Option<usize>, call: impl Fn(usize) -> R) -> Result<Vec<Duration>>
where
    R: Future<Output = Result<()>>,
{
    let mut taken = Vec::new();
    while let Some(number) = take() {
        let sent = Instant::now();
        call(number).await?;
        taken.push(sent.elapsed());
    }
    Ok(taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_of_the_calls_and_joined_rounds_add_up() {
        let millis = |range: std::ops::RangeInclusive<u64>| range.map(Duration::from_millis).collect::<Vec<_>>();
        let mut sample = Sample::of(&millis(51..=100));
        sample.join(Sample::of(&millis(1..=50)));
        assert_eq!((sample.calls(), sample.p50(), sample.p99()), (100, 50.0, 99.0));
        assert!((sample.per_second() - 100.0 / 5.05).abs() < 1e-9);
        assert!(Sample::default().p99().is_nan());
    }
}
