//! Salience (N-3): how present a record is. Computed from stored facts and the clock on every request, and never
//! stored.

use crate::bounds::DEFAULT_HALF_LIFE_DAYS;
use crate::memory::Memory;
use crate::time::{Span, Timestamp};

/// The default time without access in which salience falls to half.
pub const HALF_LIFE: Span = Span::days(DEFAULT_HALF_LIFE_DAYS);

/// A record's salience, and the values it was computed from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Salience {
    /// `confidence * ln(access_count + 1) / (idle / half_life + 1)`.
    pub value: f64,
    /// The confidence in the record, in [0, 1].
    pub confidence: f64,
    /// How often it was recalled or read.
    pub access_count: u64,
    /// Time since the last access; 0 for a record that lasts, which never decays.
    pub idle: Span,
    /// The time without access in which salience falls to half.
    pub half_life: Span,
    /// Whether the record lasts.
    pub lasts: bool,
}

impl Salience {
    /// Computes the salience of a record.
    pub fn of(memory: &Memory, half_life: Span, now: Timestamp) -> Self {
        let lasts = memory.draft.lasts();
        let idle = if lasts { Span(0) } else { now.since(memory.last_seen_at).max(Span(0)) };
        let (confidence, access_count) = (memory.belief.confidence, memory.access_count);
        let heard = libm::log(number(access_count) + 1.0);
        let half_lives = idle.as_days() / half_life.max(Span(1)).as_days();
        Self { value: confidence * heard / (half_lives + 1.0), confidence, access_count, idle, half_life, lasts }
    }

    /// Reports whether the record may be forgotten: it does not last, its salience is below the threshold, and it was
    /// last written at least one half-life ago.
    pub fn is_below(&self, threshold: f64, memory: &Memory, now: Timestamp) -> bool {
        !self.lasts && self.value < threshold && memory.updated_at <= now.minus(self.half_life)
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts beyond 2^53 differ in nothing that a logarithm could show")]
fn number(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{MemoryId, Seq};
    use crate::memory::MemoryDraft;

    const NOON: Timestamp = Timestamp(1_763_640_000_000_000);
    const HALF: Span = Span::days(30);

    fn seen(times: u64, days_ago: i64) -> Memory {
        let at = NOON.minus(Span::days(days_ago));
        let memory = Memory::new(MemoryId(uuid::Uuid::nil()), Seq(1), MemoryDraft::default(), at);
        Memory { access_count: times, ..memory }
    }

    #[test]
    fn salience_is_what_the_formula_says() {
        for (times, days, expected) in [(0, 0, 0.0), (1, 0, 0.95 * 2_f64.ln()), (9, 60, 0.95 * 10_f64.ln() / 3.0)] {
            let of = Salience::of(&seen(times, days), HALF, NOON);
            assert!((of.value - expected).abs() < 1e-12, "{of:?}, not {expected}");
        }
    }

    #[test]
    fn what_lasts_never_decays_and_is_no_candidate_and_neither_is_what_is_young() {
        let forgotten = |memory: &Memory| Salience::of(memory, HALF, NOON).is_below(0.3, memory, NOON);
        assert!(forgotten(&seen(0, 30)) && !forgotten(&seen(0, 29)));
        assert!(!forgotten(&seen(9, 60)));
        let mut kept = seen(9, 3_000);
        kept.draft.protected = true;
        let now = Salience::of(&seen(9, 0), HALF, NOON).value;
        assert_eq!(Salience::of(&kept, HALF, NOON).value.to_bits(), now.to_bits());
        assert!(!forgotten(&Memory { access_count: 0, ..kept }));
    }

    #[test]
    fn a_clock_that_was_set_back_and_no_half_life_harm_nothing() {
        let later = Memory { last_seen_at: NOON.plus(Span::days(9)), ..seen(3, 0) };
        let of = Salience::of(&later, Span(0), NOON);
        assert!(of.value.is_finite() && of.idle == Span(0));
    }
}
