//! The grace window of memories that left their tier or were deleted by their owner.

use crate::time::Timestamp;

/// Reports whether the grace that ends at `delete_after` is over at `now`. Without an end it never is.
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
