//! Lists what may be forgotten, least salient first.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Serialize;

use crate::bounds::{
    DEFAULT_FORGOTTEN, DEFAULT_HALF_LIFE_DAYS, FORGET_BELOW, MAX_FORGET_BELOW, MAX_HALF_LIFE_DAYS, MAX_PAGE_BYTES,
    MAX_PAGE_SIZE,
};
use crate::boxed;
use crate::error::{Error, Result};
use crate::ids::{Seq, UserId};
use crate::memory::{ListOrder, Memory, MemoryFilter, MemoryState, Tier};
use crate::ports::{ListKey, VaultReader};
use crate::retention::Salience;
use crate::time::{Span, Timestamp};
use crate::usecases::App;
use crate::usecases::page::{fitting, limit};

/// The memories to consider.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ForgettingInput {
    /// Salience below which a memory may be forgotten, above 0 and at most 10; `None` for the default.
    pub threshold: Option<f64>,
    /// Days without access after which salience has fallen to half; 0 for the default.
    pub half_life_days: i32,
    /// Restricts the memories.
    pub filter: MemoryFilter,
    /// Most memories to return; 0 for the default.
    pub limit: i32,
}

/// A memory that may be forgotten.
#[derive(Clone, Debug, PartialEq)]
pub struct ForgettingCandidate {
    /// The memory.
    pub memory: Memory,
    /// Its salience now.
    pub salience: Salience,
}

impl App {
    /// Returns active memories that may be forgotten, least salient first, and older first among equals: at most the
    /// requested number and about 1 MiB, but at least one if there is any.
    #[boxed]
    pub async fn list_forgetting_candidates(
        &self,
        user: &UserId,
        input: ForgettingInput,
    ) -> Result<Vec<ForgettingCandidate>> {
        let wanted = Wanted::of(input, self.clock.now())?;
        let found = fitting(self.candidates(user, &wanted).await?);
        Ok(found.into_iter().map(|memory| wanted.candidate(memory)).collect())
    }

    /// Returns the candidates up to the limit, whatever their bytes. Reads without holding up writers.
    pub(super) async fn candidates(&self, user: &UserId, wanted: &Wanted) -> Result<Vec<Memory>> {
        let wanted = Arc::new(wanted.clone());
        let found = self.vaults.read(user, move |reader| {
            let wanted = Arc::clone(&wanted);
            Box::pin(async move {
                let least = wanted.least(reader).await?;
                reader.memories(&least).await
            })
        });
        found.await
    }
}

/// The request, checked against its bounds.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    pub(super) threshold: f64,
    half_life: Span,
    filter: MemoryFilter,
    limit: usize,
    now: Timestamp,
}

impl Wanted {
    pub(super) fn of(input: ForgettingInput, now: Timestamp) -> Result<Self> {
        let threshold = input.threshold.unwrap_or(FORGET_BELOW);
        if !(threshold > 0.0 && threshold <= MAX_FORGET_BELOW) {
            let problem = format!("is {threshold}; above 0 and at most {MAX_FORGET_BELOW} is allowed");
            return Err(Error::invalid("threshold", problem));
        }
        let days = if input.half_life_days == 0 { DEFAULT_HALF_LIFE_DAYS } else { input.half_life_days.into() };
        if !(1..=MAX_HALF_LIFE_DAYS).contains(&days) {
            let problem =
                format!("is {days}; 1 to {MAX_HALF_LIFE_DAYS} are allowed, or 0 for {DEFAULT_HALF_LIFE_DAYS}");
            return Err(Error::invalid("half_life_days", problem));
        }
        let limit = limit(input.limit, DEFAULT_FORGOTTEN, MAX_PAGE_SIZE)?;
        // Forgetting by tag means the tags that a person gave.
        let mut filter = MemoryFilter { own_tags: true, ..input.filter };
        filter.check()?;
        if filter.states.iter().any(|state| *state != MemoryState::Active) {
            let problem = "may only be MEMORY_STATE_ACTIVE or empty: only active memories are forgotten";
            return Err(Error::invalid("filter.states", problem));
        }
        if filter.tiers.contains(&Tier::Permanent) {
            let problem = "must not contain TIER_PERMANENT: permanent memories are not forgotten by salience";
            return Err(Error::invalid("filter.tiers", problem));
        }
        if filter.tiers.is_empty() {
            filter.tiers = vec![Tier::ShortTerm, Tier::LongTerm];
        }
        Ok(Self { threshold, half_life: Span::days(days), filter, limit, now })
    }

    pub(super) fn salience(&self, memory: &Memory) -> Salience {
        Salience::of(memory, self.half_life, self.now)
    }

    pub(super) fn candidate(&self, memory: Memory) -> ForgettingCandidate {
        ForgettingCandidate { salience: self.salience(&memory), memory }
    }

    /// Reports whether a memory may be forgotten as it is.
    pub(super) fn holds_for(&self, memory: &Memory) -> bool {
        self.filter.passes(memory) && self.salience(memory).is_below(self.threshold, memory, self.now)
    }

    /// Returns the sequence numbers of the least salient. Looks at all that pass, a page at a time, but keeps only the first `limit`.
    async fn least(&self, reader: &mut dyn VaultReader) -> Result<Vec<Seq>> {
        let (mut least, mut after) = (BTreeSet::new(), None);
        loop {
            let page = reader.list(&self.filter, ListOrder::OldestFirst, after, MAX_PAGE_SIZE, MAX_PAGE_BYTES).await?;
            let Some(newest) = page.last() else { break };
            after = Some(ListKey { created_at: newest.created_at, seq: newest.seq });
            for memory in page.iter().filter(|memory| self.holds_for(memory)) {
                let salience = self.salience(memory).value;
                // For numbers from 0 up, the order of their bits is the order of the numbers.
                least.insert((salience.max(0.0).to_bits(), memory.seq));
                if least.len() > self.limit {
                    least.pop_last();
                }
            }
        }
        Ok(least.into_iter().map(|(_, seq)| seq).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(input: ForgettingInput) -> Result<Wanted> {
        Wanted::of(input, Timestamp(7))
    }

    #[test]
    fn threshold_half_life_and_number_are_held_to_their_bounds() {
        let usual = asked(ForgettingInput::default()).unwrap();
        assert_eq!((usual.threshold.to_bits(), usual.half_life, usual.limit), (0.3_f64.to_bits(), Span::days(30), 50));
        let of = |threshold, half_life_days, limit| {
            asked(ForgettingInput { threshold, half_life_days, limit, ..ForgettingInput::default() })
        };
        assert!(of(Some(1e-9), 1, 1).is_ok() && of(Some(10.0), 3_650, 1_000).is_ok());
        for bad in [0.0, -0.1, 10.1, f64::NAN] {
            assert!(of(Some(bad), 0, 0).unwrap_err().to_string().contains("above 0"), "{bad}");
        }
        for bad in [-1, 3_651] {
            assert!(of(None, bad, 0).unwrap_err().to_string().contains("1 to 3650"), "{bad}");
        }
        assert!(of(None, 0, 1_001).is_err());
    }

    #[test]
    fn only_active_memories_are_meant_and_none_that_are_permanent() {
        let of = |filter| asked(ForgettingInput { filter, ..ForgettingInput::default() });
        assert!(of(MemoryFilter { states: vec![MemoryState::Archived], ..MemoryFilter::default() }).is_err());
        assert!(of(MemoryFilter { tiers: vec![Tier::Permanent], ..MemoryFilter::default() }).is_err());
        assert_eq!(of(MemoryFilter::default()).unwrap().filter.tiers, [Tier::ShortTerm, Tier::LongTerm]);
    }
}
