//! Waits for what other processes do in their own time.

use std::time::{Duration, Instant};

/// How long anything may take before a test gives up on it. No test measures time; this only bounds a hang.
const BOUND: Duration = Duration::from_mins(1);

/// Asks until there is an answer.
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

/// Asks until there is an answer, for what takes longer than others.
///
/// # Panics
///
/// After so long without one.
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
