//! How far a record has decayed, and how much it matters, each as a weighted sum of shares.

use super::WarmthFacts;
use crate::bounds::MAX_IMPORTANCE;
use crate::retention::Connections;
use crate::time::{Span, Timestamp};

/// Shares of decay: time without access, age, and rarity of use.
const DECAY: [f64; 3] = [0.7, 0.1, 0.2];
/// Days without access at which the first share is half reached, for a record without connections.
const HALF: f64 = 14.0;
/// Connections slow the decay by a factor of 1 + score / `SLOWED_BY`, at most `SLOWEST`.
const SLOWED_BY: f64 = 6.0;
const SLOWEST: f64 = 3.0;
/// The age in days at which the age share is full.
const OLD: f64 = 365.0;

/// Shares of priority: given importance, accesses, density, recency, trust.
const PRIORITY: [f64; 5] = [0.4, 0.2, 0.2, 0.1, 0.1];
/// Accesses that reach half of their share, connections that fill theirs, and days in which recency halves.
const HALF_ACCESSES: f64 = 5.0;
const DENSE: f64 = 6.0;
const RECENT_HALF: f64 = 30.0;

/// Computes decay: exponential in time without access (slowed by connections), linear in age, inverse in accesses.
pub(super) fn decay(facts: &WarmthFacts, idle: Span, connections: Connections, now: Timestamp) -> f64 {
    let slower = (1.0 + number(connections.score()) / SLOWED_BY).min(SLOWEST);
    let stale = 1.0 - libm::exp2(-idle.as_days() / (HALF * slower));
    let age = (now.since(facts.created_at).max(Span(0)).as_days() / OLD).min(1.0);
    weighed(DECAY, [stale, age, 1.0 / (1.0 + number(facts.access_count))])
}

pub(super) fn priority(facts: &WarmthFacts, idle: Span, connections: Connections) -> f64 {
    let said = f64::from(facts.importance) / f64::from(MAX_IMPORTANCE);
    let times = number(facts.access_count);
    let accessed = times / (times + HALF_ACCESSES);
    let density = (number(connections.score()) / DENSE).min(1.0);
    let recency = libm::exp2(-idle.as_days() / RECENT_HALF);
    weighed(PRIORITY, [said, accessed, density, recency, facts.trust])
}

fn weighed<const N: usize>(shares: [f64; N], parts: [f64; N]) -> f64 {
    shares.iter().zip(parts).map(|(share, part)| share * part.clamp(0.0, 1.0)).sum()
}

#[expect(clippy::cast_precision_loss, reason = "counts beyond 2^53 differ in nothing that a share could show")]
fn number(count: u64) -> f64 {
    count as f64
}
