//! Converts points in time and spans: whole microseconds here, seconds and nanoseconds in the contract. Finer parts are
//! cut off.

use kimberly_core::Timestamp;
use kimberly_core::time::Span;
use prost_types::{Duration, Timestamp as WireTimestamp};

const MICROS: i64 = 1_000_000;
const NANOS_PER_MICRO: i64 = 1_000;
const NANOS: i32 = 1_000_000_000;
/// Bound of a `google.protobuf.Duration`: 10,000 years.
const MAX_DURATION_SECONDS: i64 = 315_576_000_000;

/// Converts a point in time. `None` if unset.
pub fn optional_timestamp(raw: Option<WireTimestamp>) -> Result<Option<Timestamp>, String> {
    raw.map(timestamp).transpose()
}

fn timestamp(raw: WireTimestamp) -> Result<Timestamp, String> {
    if !(0..NANOS).contains(&raw.nanos) {
        return Err(format!("has {} nanos; 0 to 999,999,999 are allowed", raw.nanos));
    }
    let micros = raw.seconds.checked_mul(MICROS).map(|s| s + i64::from(raw.nanos) / NANOS_PER_MICRO);
    micros
        .map(Timestamp)
        .filter(|at| (Timestamp::MIN..=Timestamp::MAX).contains(at))
        .ok_or_else(|| "is outside the years 1 to 9999".to_owned())
}

/// Converts a span. `None` if unset. The domain checks its length and sign.
pub fn optional_span(raw: Option<Duration>) -> Result<Option<Span>, String> {
    raw.map(span).transpose()
}

fn span(raw: Duration) -> Result<Span, String> {
    let mixed = (raw.seconds > 0 && raw.nanos < 0) || (raw.seconds < 0 && raw.nanos > 0);
    if raw.nanos <= -NANOS || raw.nanos >= NANOS || mixed {
        return Err(format!(
            "has {} nanos; -999,999,999 to 999,999,999 of the same sign as the seconds are allowed",
            raw.nanos
        ));
    }
    if !(-MAX_DURATION_SECONDS..=MAX_DURATION_SECONDS).contains(&raw.seconds) {
        return Err(format!("is {} s; at most 10,000 years either way are allowed", raw.seconds));
    }
    Ok(Span(raw.seconds * MICROS + i64::from(raw.nanos) / NANOS_PER_MICRO))
}

/// Converts a point in time to the contract.
pub fn wire_timestamp(at: Timestamp) -> WireTimestamp {
    WireTimestamp { seconds: at.0.div_euclid(MICROS), nanos: nanos(at.0.rem_euclid(MICROS)) }
}

/// Converts a span to the contract.
pub fn wire_duration(span: Span) -> Duration {
    Duration { seconds: span.0 / MICROS, nanos: nanos(span.0 % MICROS) }
}

/// Converts the microseconds of a part of a second to nanoseconds, which always fit.
fn nanos(micros: i64) -> i32 {
    i32::try_from(micros * NANOS_PER_MICRO).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64, nanos: i32) -> Result<Option<Timestamp>, String> {
        optional_timestamp(Some(WireTimestamp { seconds, nanos }))
    }

    #[test]
    fn timestamps_convert_both_ways_to_the_microsecond() {
        for micros in [0, 1, -1, 1_700_000_000_123_456, Timestamp::MIN.0, Timestamp::MAX.0, -1_500_000] {
            let wire = wire_timestamp(Timestamp(micros));
            assert!((0..NANOS).contains(&wire.nanos), "{wire:?}");
            assert_eq!(optional_timestamp(Some(wire)).unwrap(), Some(Timestamp(micros)));
        }
        assert_eq!(at(1, 999).unwrap(), Some(Timestamp(1_000_000)));
        assert_eq!(optional_timestamp(None).unwrap(), None);
    }

    #[test]
    fn timestamps_are_held_to_the_years_1_to_9999() {
        let (first, last) = (Timestamp::MIN.0 / MICROS, Timestamp::MAX.0 / MICROS);
        assert!(at(first, 0).is_ok() && at(last, 999_999_999).is_ok());
        for (seconds, nanos) in [(first - 1, 0), (last + 1, 0), (i64::MAX, 0), (i64::MIN, 0), (0, -1), (0, NANOS)] {
            assert!(at(seconds, nanos).is_err(), "{seconds} {nanos}");
        }
    }

    #[test]
    fn spans_convert_both_ways_and_refuse_mixed_signs() {
        for micros in [0, 1, -1, 1_500_000, -1_500_000, MAX_DURATION_SECONDS * MICROS] {
            assert_eq!(optional_span(Some(wire_duration(Span(micros)))).unwrap(), Some(Span(micros)));
        }
        for (seconds, nanos) in
            [(1, -1), (-1, 1), (0, NANOS), (0, -NANOS), (MAX_DURATION_SECONDS + 1, 0), (i64::MIN, 0)]
        {
            assert!(optional_span(Some(Duration { seconds, nanos })).is_err(), "{seconds} {nanos}");
        }
    }
}
