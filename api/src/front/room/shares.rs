//! How much of the room each caller holds, so that one caller's calls never take all of it.
//!
//! Each caller may hold a fixed fraction of what all callers leave free, as switches share their buffers among ports
//! (Choudhury and Hahne, "Dynamic queue length thresholds for shared-memory packet switches", 1998). A single caller
//! gets much, many get equal parts, and something is always left for the next.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::calls::Sharer;

/// An amount that callers share.
#[derive(Debug)]
pub(super) struct Shares {
    most: u64,
    /// Each caller may hold at most the free amount divided by this.
    divisor: u64,
    taken: u64,
    held: HashMap<Sharer, u64>,
}

impl Shares {
    pub(super) fn new(most: u64, divisor: u64) -> Self {
        Self { most, divisor, taken: 0, held: HashMap::new() }
    }

    /// Takes an amount, if that leaves enough for others. A caller who holds nothing may take anything that is free.
    pub(super) fn take(&mut self, who: &Sharer, amount: u64) -> bool {
        let own = self.held.get(who).copied().unwrap_or(0);
        let Some(free) = self.most.checked_sub(self.taken).filter(|&free| amount <= free) else { return false };
        if own > 0 && own.saturating_add(amount).saturating_mul(self.divisor) > free {
            return false;
        }
        self.taken += amount;
        match self.held.get_mut(who) {
            Some(held) => *held += amount,
            None => drop(self.held.insert(who.clone(), amount)),
        }
        true
    }

    /// Gives an amount back.
    pub(super) fn give_back(&mut self, who: &Sharer, amount: u64) {
        self.taken = self.taken.saturating_sub(amount);
        if let Entry::Occupied(mut held) = self.held.entry(who.clone()) {
            match held.get().checked_sub(amount) {
                Some(left) if left > 0 => *held.get_mut() = left,
                _ => drop(held.remove()),
            }
        }
    }

    /// Returns the amount that is taken.
    #[cfg(test)]
    pub(super) const fn taken(&self) -> u64 {
        self.taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connections::ConnectionNumber;

    fn sharer(number: u64) -> Sharer {
        Sharer::Connection(Some(ConnectionNumber(number)))
    }

    /// Returns how much more a caller can take.
    fn fill(shares: &mut Shares, who: u64) -> usize {
        (0..10_000).take_while(|_| shares.take(&sharer(who), 1)).count()
    }

    #[test]
    fn one_caller_leaves_room_for_the_next_and_what_is_given_back_can_be_taken_again() {
        let mut shares = Shares::new(4_096, 4);
        let first = fill(&mut shares, 0);
        assert!((800..=900).contains(&first), "a fifth, not {first}");
        let others: Vec<usize> = (1..20).map(|who| fill(&mut shares, who)).collect();
        assert!(others.iter().all(|&held| held > 0), "{others:?}");
        for _ in 0..first {
            shares.give_back(&sharer(0), 1);
        }
        assert!(fill(&mut shares, 99) > 0);
        assert!(!shares.held.contains_key(&sharer(0)), "nothing is kept of who is gone");
    }

    #[test]
    fn amounts_that_do_not_fit_are_refused_and_a_first_one_may_take_all_that_is_free() {
        let mut shares = Shares::new(100, 1);
        assert!(!shares.take(&sharer(1), 101) && !shares.take(&sharer(1), u64::MAX));
        assert!(shares.take(&sharer(1), 60) && !shares.take(&sharer(1), 1), "60 are more than the 40 that are free");
        assert!(shares.take(&sharer(2), 20) && !shares.take(&sharer(2), 1), "20 and one of 20 free");
        shares.give_back(&sharer(1), 60);
        assert!(shares.take(&sharer(2), 1));
        assert_eq!(shares.taken(), 21);
    }
}
