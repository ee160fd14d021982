//! Random vaults, limits and filters.

use kimberly_core::access::Rows;
use kimberly_core::memory::{MemoryDraft, MemoryFilter, MemoryState, SensitivityFilter, Tier};

use super::{draft_in, rows};

pub(super) const WORDS: [&str; 6] = ["tea", "harbour", "violin", "quokka", "letter", "snow"];
const NAMESPACES: [&str; 3] = ["", "work", "home"];
pub(super) const SESSIONS: [&str; 3] = ["", "monday", "tuesday"];

/// Random choices from a seed.
pub(super) struct Dice(pub(super) u64);

impl Dice {
    /// The generator `SplitMix64`.
    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.roll() % n as u64).unwrap()
    }

    pub(super) fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    /// Selects each element with even odds.
    fn some<T: Copy>(&mut self, of: &[T]) -> Vec<T> {
        of.iter().copied().filter(|_| self.below(2) == 0).collect()
    }

    pub(super) fn draft(&mut self) -> MemoryDraft {
        let content: Vec<&str> = (0..=self.below(4)).map(|_| self.one(&WORDS)).collect();
        let (namespace, tier) = (self.one(&NAMESPACES), self.one(Tier::ALL));
        let session = self.one(&SESSIONS);
        let sensitive = self.below(3) == 0;
        MemoryDraft {
            session_id: (!session.is_empty()).then(|| session.to_owned()),
            ..draft_in(namespace, tier, sensitive, &content.join(" "))
        }
    }

    pub(super) fn rows(&mut self) -> Rows {
        let (namespaces, tiers) = (self.some(&NAMESPACES), self.some(Tier::ALL));
        rows(&namespaces, &tiers, self.below(2) == 0)
    }

    pub(super) fn filter(&mut self) -> MemoryFilter {
        let namespaces = if self.below(2) == 0 { Vec::new() } else { self.some(&NAMESPACES) };
        let session = self.one(&SESSIONS);
        MemoryFilter {
            tiers: if self.below(2) == 0 { Vec::new() } else { self.some(Tier::ALL) },
            namespaces: namespaces.into_iter().map(str::to_owned).collect(),
            states: if self.below(2) == 0 { Vec::new() } else { MemoryState::ALL.to_vec() },
            session_id: (!session.is_empty() && self.below(2) == 0).then(|| session.to_owned()),
            sensitivity: self.one(&[SensitivityFilter::Any, SensitivityFilter::Exclude, SensitivityFilter::Only]),
            ..MemoryFilter::default()
        }
    }
}
