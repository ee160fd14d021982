//! `recency_freq`: normalized recency and frequency of access (K-3.2).
//!
//! Recency halves every 14 days since the memory was last recalled or read (exponential forgetting, after Ebbinghaus):
//! `2^(-days/14)`. Frequency grows with the logarithm of the number of accesses and is full at 50:
//! `ln(1 + n) / ln(51)`. The signal is `0.7*recency + 0.3*frequency`.

use super::{HOURS_PER_DAY, number};

/// Days after which recency has halved.
const HALF_LIFE_DAYS: f64 = 14.0;
/// Accesses at which frequency reaches its maximum.
const FULL_COUNT: f64 = 50.0;
/// The share of recency in the signal.
const RECENCY: f64 = 0.7;

/// Returns the signal from whole hours since the last access and the number of accesses.
pub(super) fn value(hours_since_seen: f64, access_count: u64) -> f64 {
    let recency = libm::exp2(-(hours_since_seen / HOURS_PER_DAY) / HALF_LIFE_DAYS);
    let frequency = (libm::log1p(number(access_count)) / libm::log1p(FULL_COUNT)).min(1.0);
    (RECENCY * recency + (1.0 - RECENCY) * frequency).clamp(0.0, 1.0)
}
