//! The grace window of what left its tier or was deleted by its owner.

use crate::time::Timestamp;

/// Whether a memory that may be rescued until `delete_after` has outlived its grace at `now`. Without an end of grace it
/// never does.
pub fn grace_passed(delete_after: Option<Timestamp>, now: Timestamp) -> bool {
    delete_after.is_some_and(|end| end <= now)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grace_passes_at_its_end_and_not_before() {
        assert!(!grace_passed(Some(Timestamp(10)), Timestamp(9)));
        assert!(grace_passed(Some(Timestamp(10)), Timestamp(10)));
        assert!(!grace_passed(None, Timestamp(i64::MAX)));
    }
}
