//! Adapts the batch size of a thread, in tokens, to the time that recent batches took.

use std::time::Duration;

/// Target duration of a batch.
const SLICE: Duration = Duration::from_millis(12);
/// Minimum tokens of a batch: one short text.
const FEWEST: f64 = 16.0;
/// Maximum tokens of a batch: larger ones gain nothing and exceed the caches.
const MOST: f64 = 2_048.0;
/// Weight of the last batch in the moving average.
const BELIEF: f64 = 0.25;

/// The pace of one thread.
#[derive(Debug)]
pub(super) struct Pace {
    budget: f64,
}

impl Default for Pace {
    fn default() -> Self {
        Self { budget: 64.0 }
    }
}

impl Pace {
    /// Tokens of the next batch.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between FEWEST and MOST")]
    pub(super) fn budget(&self) -> usize {
        self.budget as usize
    }

    /// Updates the average with a batch.
    #[expect(clippy::cast_precision_loss, reason = "a batch has far fewer tokens than 2^52")]
    pub(super) fn saw(&mut self, tokens: usize, took: Duration) {
        let fitting = tokens as f64 * SLICE.as_secs_f64() / took.as_secs_f64().max(1e-6);
        self.budget = (self.budget + BELIEF * (fitting - self.budget)).clamp(FEWEST, MOST);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_become_as_large_as_a_slice_of_time_allows_and_no_larger() {
        let mut pace = Pace::default();
        for _ in 0..50 {
            pace.saw(1_000, Duration::from_millis(100));
        }
        assert!((119..=120).contains(&pace.budget()), "{}", pace.budget());
        for _ in 0..50 {
            pace.saw(1, Duration::from_secs(1));
        }
        assert_eq!(pace.budget(), 16);
        for _ in 0..50 {
            pace.saw(1_000, Duration::ZERO);
        }
        assert_eq!(pace.budget(), 2_048);
    }
}
