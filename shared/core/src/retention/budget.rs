//! The daily cap on what the system erases (K-4.3).

/// The bytes that may still be erased today.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PruneBudget {
    cap: u64,
    left: u64,
}

impl PruneBudget {
    /// Creates the budget of a day from its cap and the bytes already erased that day.
    pub const fn new(cap: u64, erased_today: u64) -> Self {
        Self { cap, left: cap.saturating_sub(erased_today) }
    }

    /// Takes `bytes` out of the budget if they fit, and reports whether they did. A cap of 0 lets nothing through.
    pub const fn take(&mut self, bytes: u64) -> bool {
        let fits = bytes <= self.left && self.cap > 0;
        if fits {
            self.left -= bytes;
        }
        fits
    }

    /// Returns the cap in bytes.
    pub const fn cap(&self) -> u64 {
        self.cap
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_is_taken_and_what_does_not_leaves_the_budget_alone() {
        let mut budget = PruneBudget::new(100, 30);
        assert!(budget.take(60));
        assert!(!budget.take(11));
        assert!(budget.take(10));
        assert!(!budget.take(1));
    }

    #[test]
    fn cap_of_zero_stops_erasing() {
        assert!(!PruneBudget::new(0, 0).take(0));
        assert!(!PruneBudget::new(10, 999).take(1));
    }
}
