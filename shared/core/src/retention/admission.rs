//! Decides whether a write fits, and what would make room for it.

use crate::memory::{MemoryState, Tier};
use crate::settings::EffectiveSettings;
use crate::usage::Usage;

/// The refusal of a write because a tier would exceed its hard limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full {
    /// The tier.
    pub tier: Tier,
    /// Bytes it holds.
    pub used: u64,
    /// Its hard limit.
    pub limit: u64,
    /// Bytes that the write adds.
    pub requested: u64,
}

impl Full {
    /// Reports whether the write fits once a meditation has archived what is over the quota. `movable` are the bytes of
    /// the tier that a meditation may archive.
    pub const fn meditation_helps(&self, settings: &EffectiveSettings, movable: u64) -> bool {
        let archived = movable.saturating_sub(settings.quota(self.tier));
        self.used.saturating_sub(archived).saturating_add(self.requested) <= self.limit
    }

    /// Returns the smallest quota of the tier under which the write fits now.
    pub const fn quota_needed(&self, settings: &EffectiveSettings) -> u64 {
        let percent = if settings.hard_limit_percent == 0 { 1 } else { settings.hard_limit_percent };
        self.used.saturating_add(self.requested).saturating_mul(100).div_ceil(percent)
    }
}

/// Checks a write against the hard limits (K-1.4). `additions` are bytes that become active, by tier, in any order; a
/// tier may occur more than once.
///
/// Fails for the first tier, in the order of [`Tier::ALL`], that would exceed its hard limit. A write that adds nothing
/// to a tier is never refused for it. Otherwise returns the tiers among `additions` that are over their quota after the
/// write, so that a meditation must follow.
pub fn admit(usage: &Usage, settings: &EffectiveSettings, additions: &[(Tier, u64)]) -> Result<Vec<Tier>, Full> {
    let mut over = Vec::new();
    for &tier in Tier::ALL {
        let to_this_tier = additions.iter().filter(|(to, _)| *to == tier).map(|(_, bytes)| *bytes);
        let Some(requested) = to_this_tier.reduce(u64::saturating_add) else { continue };
        let used = usage.count(tier, MemoryState::Active).bytes;
        let (after, limit) = (used.saturating_add(requested), settings.hard_limit(tier));
        if requested > 0 && after > limit {
            return Err(Full { tier, used, limit, requested });
        }
        if after > settings.quota(tier) {
            over.push(tier);
        }
    }
    Ok(over)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{ServerDefaults, UserSettings};

    fn usage(tier: Tier, bytes: u64) -> Usage {
        let mut usage = Usage::default();
        usage.count_mut(tier, MemoryState::Active).bytes = bytes;
        usage.count_mut(tier, MemoryState::Archived).bytes = u64::MAX / 16;
        usage
    }

    fn settings() -> EffectiveSettings {
        let user = UserSettings { long_term_quota_bytes: Some(4_000), ..UserSettings::default() };
        EffectiveSettings::resolve(&user, &ServerDefaults::default())
    }

    #[test]
    fn write_up_to_the_quota_passes_and_needs_no_meditation() {
        assert_eq!(admit(&usage(Tier::LongTerm, 3_000), &settings(), &[(Tier::LongTerm, 1_000)]).unwrap(), []);
    }

    #[test]
    fn write_above_the_quota_passes_and_names_the_tier() {
        let over = admit(&usage(Tier::LongTerm, 3_000), &settings(), &[(Tier::LongTerm, 1_001), (Tier::Permanent, 5)]);
        assert_eq!(over.unwrap(), [Tier::LongTerm]);
        assert_eq!(
            admit(&usage(Tier::LongTerm, 4_000), &settings(), &[(Tier::LongTerm, 1_000)]).unwrap(),
            [Tier::LongTerm]
        );
    }

    #[test]
    fn write_above_the_hard_limit_is_refused_with_the_numbers() {
        let parts = [(Tier::LongTerm, 600), (Tier::ShortTerm, 1), (Tier::LongTerm, 401)];
        let full = admit(&usage(Tier::LongTerm, 4_000), &settings(), &parts).unwrap_err();
        assert_eq!(full, Full { tier: Tier::LongTerm, used: 4_000, limit: 5_000, requested: 1_001 });
        assert!(admit(&usage(Tier::LongTerm, u64::MAX), &settings(), &[(Tier::LongTerm, u64::MAX)]).is_err());
    }

    #[test]
    fn write_that_adds_nothing_is_not_refused_in_a_full_tier() {
        assert_eq!(
            admit(&usage(Tier::LongTerm, 9_000), &settings(), &[(Tier::LongTerm, 0)]).unwrap(),
            [Tier::LongTerm]
        );
        assert_eq!(admit(&usage(Tier::LongTerm, 9_000), &settings(), &[(Tier::ShortTerm, 10)]).unwrap(), []);
        assert_eq!(admit(&usage(Tier::LongTerm, 9_000), &settings(), &[]).unwrap(), []);
    }

    #[test]
    fn meditation_helps_exactly_if_the_write_fits_behind_it() {
        let full = |used, requested| Full { tier: Tier::LongTerm, used, limit: 5_000, requested };
        let settings = settings();
        assert!(full(5_000, 1_000).meditation_helps(&settings, 5_000));
        assert!(!full(5_000, 1_001).meditation_helps(&settings, 5_000), "more than there is above the quota");
        assert!(!full(3_640, 1_400).meditation_helps(&settings, 3_640), "nothing is over the quota");
        assert!(!full(5_000, 1_000).meditation_helps(&settings, 4_500), "500 bytes are protected and stay");
        assert!(full(5_000, 500).meditation_helps(&settings, 4_500));
        assert!(!full(5_000, 1).meditation_helps(&settings, 3_000), "protected ones hold the rest");
    }

    #[test]
    fn quota_that_is_needed_is_the_smallest_that_takes_the_write() {
        let full = Full { tier: Tier::LongTerm, used: 4_000, limit: 5_000, requested: 1_401 };
        let needed = full.quota_needed(&settings());
        let of = |quota| {
            let user = UserSettings { long_term_quota_bytes: Some(quota), ..UserSettings::default() };
            admit(
                &usage(Tier::LongTerm, 4_000),
                &EffectiveSettings::resolve(&user, &ServerDefaults::default()),
                &[(Tier::LongTerm, 1_401)],
            )
        };
        assert!(of(needed).is_ok() && of(needed - 1).is_err(), "{needed}");
    }
}
