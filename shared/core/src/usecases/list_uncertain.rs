//! Lists uncertain memories, least certain first.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::App;
use super::page::{fitting, limit};
use crate::bounds::{DEFAULT_UNCERTAIN, MAX_PAGE_BYTES, MAX_PAGE_SIZE, UNCERTAIN_BELOW};
use crate::boxed;
use crate::error::{Error, Result};
use crate::ids::{Seq, UserId};
use crate::memory::{ListOrder, Memory, MemoryFilter, MemoryState};
use crate::ports::{ListKey, VaultReader};

/// The threshold of uncertainty, and the number of memories to return.
#[derive(Clone, Debug, Default)]
pub struct UncertainInput {
    /// Confidence below which a memory is uncertain, above 0 and at most 1; `None` for the default.
    pub threshold: Option<f64>,
    /// Restricts the list.
    pub filter: MemoryFilter,
    /// Most memories to return; 0 for the default.
    pub limit: i32,
}

impl App {
    /// Returns active memories below the threshold, least certain first, and older first among equals: at most the
    /// requested number and about 1 MiB, but at least one if there is any.
    #[boxed]
    pub async fn list_uncertain(&self, user: &UserId, input: UncertainInput) -> Result<Vec<Memory>> {
        let (filter, limit) = input.checked()?;
        let filter = Arc::new(filter);
        let found = self.vaults.read(user, move |reader| {
            let filter = Arc::clone(&filter);
            Box::pin(async move {
                let least = least_certain(reader, &filter, limit).await?;
                reader.memories(&least).await
            })
        });
        Ok(fitting(found.await?))
    }
}

impl UncertainInput {
    /// Returns the filter and the limit; fails if anything is out of bounds.
    fn checked(self) -> Result<(MemoryFilter, usize)> {
        let threshold = self.threshold.unwrap_or(UNCERTAIN_BELOW);
        if !(threshold > 0.0 && threshold <= 1.0) {
            return Err(Error::invalid("threshold", format!("is {threshold}; above 0 and at most 1 is allowed")));
        }
        let limit = limit(self.limit, DEFAULT_UNCERTAIN, MAX_PAGE_SIZE)?;
        self.filter.check()?;
        if self.filter.states.iter().any(|state| *state != MemoryState::Active) {
            let problem = "may only be MEMORY_STATE_ACTIVE or empty: only active memories are verified";
            return Err(Error::invalid("filter.states", problem));
        }
        let asked = self.filter.below_confidence;
        let below_confidence = if asked > 0.0 { asked.min(threshold) } else { threshold };
        Ok((MemoryFilter { below_confidence, ..self.filter }, limit))
    }
}

/// Returns the sequence numbers of the least certain. Looks at all that pass, a page at a time, but keeps only the first `limit`.
async fn least_certain(reader: &mut dyn VaultReader, filter: &MemoryFilter, limit: usize) -> Result<Vec<Seq>> {
    let mut least = BTreeSet::new();
    let mut after = None;
    loop {
        let page = reader.list(filter, ListOrder::OldestFirst, after, MAX_PAGE_SIZE, MAX_PAGE_BYTES).await?;
        let Some(newest) = page.last() else { break };
        after = Some(ListKey { created_at: newest.created_at, seq: newest.seq });
        for memory in &page {
            // For numbers from 0 up, the order of their bits is the order of the numbers.
            least.insert((memory.belief.confidence.max(0.0).to_bits(), memory.seq));
            if least.len() > limit {
                least.pop_last();
            }
        }
    }
    Ok(least.into_iter().map(|(_, seq)| seq).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(threshold: Option<f64>, limit: i32) -> Result<(MemoryFilter, usize)> {
        UncertainInput { threshold, limit, ..UncertainInput::default() }.checked()
    }

    #[test]
    fn threshold_and_number_are_held_to_their_bounds() {
        let (filter, limit) = asked(None, 0).unwrap();
        assert_eq!((filter.below_confidence.to_bits(), limit), (UNCERTAIN_BELOW.to_bits(), DEFAULT_UNCERTAIN));
        for good in [1e-9, 1.0] {
            assert!(asked(Some(good), 1_000).is_ok(), "{good}");
        }
        for bad in [0.0, -0.1, 1.1, f64::NAN] {
            assert!(asked(Some(bad), 0).unwrap_err().to_string().contains("above 0"), "{bad}");
        }
        for bad in [-1, 1_001] {
            assert!(asked(None, bad).unwrap_err().to_string().contains("1 to 1000"), "{bad}");
        }
    }

    #[test]
    fn a_filter_narrows_the_threshold_and_names_no_other_state() {
        let of = |filter| UncertainInput { filter, ..UncertainInput::default() }.checked();
        let lower = of(MemoryFilter { below_confidence: 0.2, ..MemoryFilter::default() }).unwrap().0;
        assert_eq!(lower.below_confidence.to_bits(), 0.2_f64.to_bits());
        let higher = of(MemoryFilter { below_confidence: 0.9, ..MemoryFilter::default() }).unwrap().0;
        assert_eq!(higher.below_confidence.to_bits(), UNCERTAIN_BELOW.to_bits());
        assert!(of(MemoryFilter { states: vec![MemoryState::Archived], ..MemoryFilter::default() }).is_err());
    }
}
