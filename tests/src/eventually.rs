//! Polls for effects of other processes.

use std::time::{Duration, Instant};

/// Timeout of a poll. Tests do not measure time; this only bounds a hang.
const BOUND: Duration = Duration::from_mins(1);

/// Polls until `ask` returns an answer.
///
/// # Panics
///
/// After a minute without one.
pub async fn eventually<T, F>(what: &str, ask: impl FnMut() -> F) -> T
where
    F: Future<Output = Option<T>>,
{
    within(BOUND, what, ask).await
}

/// Polls until `ask` returns an answer, with a longer timeout.
///
/// # Panics
///
/// After `bound` without one.
pub async fn within<T, F>(bound: Duration, what: &str, mut ask: impl FnMut() -> F) -> T
where
    F: Future<Output = Option<T>>,
{
    let started = Instant::now();
    loop {
        if let Some(answer) = ask().await {
            return answer;
        }
        assert!(started.elapsed() < bound, "gave up waiting: {what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
