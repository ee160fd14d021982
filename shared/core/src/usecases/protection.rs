//! Limits what writers make last to half of its tier, so that meditations find something to archive.

use crate::error::{Error, Result};
use crate::memory::{Memory, MemoryDraft, MemoryState, Tier};
use crate::ports::VaultTransaction;
use crate::retention::{lasting_limit, quota_for_lasting};
use crate::settings::EffectiveSettings;

/// Bytes that a write makes last, by tier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Protection([u64; 3]);

impl Protection {
    /// Adds the bytes of a record that becomes active.
    pub(super) fn add(&mut self, draft: &MemoryDraft, size_bytes: u64) {
        if draft.claims_to_last() {
            self.0[draft.tier as usize] += size_bytes;
        }
    }

    /// Returns the bytes that a change makes last: the growth of a lasting record, or all bytes of one that newly lasts.
    pub(super) fn of_change(before: &Memory, after: &Memory) -> Self {
        let mut protection = Self::default();
        if after.state == MemoryState::Active {
            let lasted = before.draft.lasts() && before.state == after.state && before.draft.tier == after.draft.tier;
            let held = if lasted { before.size_bytes } else { 0 };
            protection.add(&after.draft, after.size_bytes.saturating_sub(held));
        }
        protection
    }

    /// Fails if more would last than is allowed, together with what lasts already.
    pub(super) async fn admit(self, tx: &mut dyn VaultTransaction, settings: &EffectiveSettings) -> Result<()> {
        if self == Self::default() {
            return Ok(());
        }
        let held = tx.lasting_bytes().await?;
        self.beside(held, settings)
    }

    /// Like `admit`, where `held` bytes last already.
    pub(super) fn beside(self, held: [u64; 3], settings: &EffectiveSettings) -> Result<()> {
        for &tier in Tier::ALL {
            let (requested, used) = (self.0[tier as usize], held[tier as usize]);
            let (limit, needed) = (lasting_limit(settings.quota(tier)), used.saturating_add(requested));
            if requested > 0 && needed > limit {
                let raise_to = Some(quota_for_lasting(needed));
                return Err(Error::TooMuchProtected { tier, used: Some(used), limit, requested, raise_to });
            }
        }
        Ok(())
    }

    /// Adds these bytes to `held`.
    pub(super) fn join(self, held: &mut [u64; 3]) {
        held.iter_mut().zip(self.0).for_each(|(held, added)| *held = held.saturating_add(added));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{MemoryId, Seq};
    use crate::settings::{ServerDefaults, UserSettings};
    use crate::time::Timestamp;

    fn memory(protected: bool, size_bytes: u64) -> Memory {
        let draft = MemoryDraft { protected, tier: Tier::LongTerm, ..MemoryDraft::default() };
        let new = Memory::new(MemoryId(uuid::Uuid::nil()), Seq(1), draft, Timestamp(1));
        Memory { size_bytes, ..new }
    }

    fn settings() -> EffectiveSettings {
        let user = UserSettings { long_term_quota_bytes: Some(4_000), ..UserSettings::default() };
        EffectiveSettings::resolve(&user, &ServerDefaults::default())
    }

    #[test]
    fn half_of_a_tier_may_be_protected_and_not_a_byte_more() {
        let new = |bytes| Protection::of_change(&memory(false, 5), &memory(true, bytes));
        assert!(new(500).beside([0, 1_500, 0], &settings()).is_ok());
        let refused = new(501).beside([0, 1_500, 0], &settings()).unwrap_err();
        let Error::TooMuchProtected { tier, used, limit, requested, raise_to } = refused else { panic!("{refused}") };
        assert_eq!((tier, used, limit, requested, raise_to), (Tier::LongTerm, Some(1_500), 2_000, 501, Some(4_002)));
    }

    #[test]
    fn only_what_comes_to_last_counts() {
        for (before, after, added) in [
            (memory(true, 500), memory(true, 500), 0),
            (memory(true, 500), memory(true, 700), 200),
            (memory(true, 500), memory(false, 900), 0),
            (memory(false, 500), memory(true, 500), 500),
            (Memory { state: MemoryState::Archived, ..memory(true, 500) }, memory(true, 500), 500),
            (memory(false, 500), Memory { state: MemoryState::Archived, ..memory(true, 500) }, 0),
        ] {
            assert_eq!(Protection::of_change(&before, &after).0, [0, added, 0], "{before:?} {after:?}");
        }
    }
}
