//! The only module that generates random ids.

use std::sync::{Mutex, PoisonError};

use kimberly_core::Timestamp;
use kimberly_core::ports::Ids;
use uuid::{ContextV7, Uuid};

/// UUIDs version 7 from the given time. Within one process each id sorts after the previous one, even within a
/// millisecond or after the clock was set back.
#[derive(Debug, Default)]
pub struct SystemIds(Mutex<Sequence>);

#[derive(Debug)]
struct Sequence {
    context: ContextV7,
    latest: Timestamp,
}

impl Default for Sequence {
    fn default() -> Self {
        Self { context: ContextV7::new(), latest: Timestamp(0) }
    }
}

impl Ids for SystemIds {
    fn new_id(&self, now: Timestamp) -> Uuid {
        let mut sequence = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        sequence.latest = sequence.latest.max(now);
        let micros = u64::try_from(sequence.latest.0).unwrap_or(0);
        let nanos = u32::try_from(micros % 1_000_000).unwrap_or(0) * 1_000;
        Uuid::new_v7(uuid::Timestamp::from_unix(&sequence.context, micros / 1_000_000, nanos))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_carry_the_time_given_and_sort_in_the_order_made() {
        let ids = SystemIds::default();
        let start = Timestamp(1_750_000_000_123_000);
        let mut made: Vec<Uuid> = (0..20_000).map(|n| ids.new_id(Timestamp(start.0 + n / 100))).collect();
        made.push(ids.new_id(Timestamp(start.0 - 60_000_000)));
        assert!(made.is_sorted_by(|a, b| a < b), "an id sorts before one that was made earlier");
        assert_eq!(made[0].get_version_num(), 7);
        assert_eq!(made[0].get_timestamp().unwrap().to_unix(), (1_750_000_000, 123_000_000));
    }
}
