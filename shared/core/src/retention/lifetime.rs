//! The lifetime of a short-term memory (K-1.1). Ages count in full hours, so a memory leaves at the full hour nearest
//! to the end of its lifetime: a lifetime of a day is 23.5 to 24.5 hours.

use crate::time::{Span, Timestamp};

/// The most that a memory may leave before its lifetime ends, and never more than a 48th of the lifetime.
const EARLY: Span = Span::seconds(30 * 60);

/// Returns the full hour from which rotation takes a memory. It is always after the memory's creation.
pub fn leaves_at(created_at: Timestamp, lifetime: Span) -> Timestamp {
    let early = EARLY.min(Span(lifetime.0 / 48));
    let last = created_at.plus(lifetime).minus(early);
    let hour = last.start_of_hour();
    if hour == last { hour } else { hour.plus(Span::hours(1)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: Span = Span::days(1);

    #[test]
    fn a_short_term_memory_of_any_minute_lives_a_day_give_or_take_half_an_hour() {
        for minute in 0..1_440 {
            let created = Timestamp(1_763_640_000_000_000).plus(Span::seconds(60 * minute));
            let lived = leaves_at(created, DAY).since(created);
            assert!((lived.0 - DAY.0).abs() <= EARLY.0, "minute {minute}: {lived:?}");
            assert_eq!(leaves_at(created, DAY), leaves_at(created, DAY).start_of_hour());
        }
    }

    #[test]
    fn a_lifetime_shorter_than_an_hour_ends_at_the_next_full_hour() {
        let noon = Timestamp(1_763_640_000_000_000);
        assert_eq!(leaves_at(noon, Span::seconds(60)), noon.plus(Span::hours(1)));
    }
}
