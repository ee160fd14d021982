//! Whether a write may come in.

use crate::error::{Error, Result};
use crate::memory::{MemoryState, Tier};
use crate::settings::EffectiveSettings;
use crate::usage::Usage;

/// Holds a write to the hard limits (K-1.4). `additions` are bytes that become active, by tier, in any order; a tier may
/// come up more than once. Fails with [`Error::QuotaExceeded`] for the first tier, in the order of [`Tier::ALL`], that
/// would exceed its hard limit; a write that adds nothing to a tier is never refused for it. Otherwise returns the tiers
/// among `additions` that are over their quota after the write, so that a meditation must follow.
pub fn admit(usage: &Usage, settings: &EffectiveSettings, additions: &[(Tier, u64)]) -> Result<Vec<Tier>> {
    let mut over = Vec::new();
    for &tier in Tier::ALL {
        let to_this_tier = additions.iter().filter(|(to, _)| *to == tier).map(|(_, bytes)| *bytes);
        let Some(requested) = to_this_tier.reduce(u64::saturating_add) else { continue };
        let used = usage.count(tier, MemoryState::Active).bytes;
        let (after, limit) = (used.saturating_add(requested), settings.hard_limit(tier));
        if requested > 0 && after > limit {
            return Err(Error::QuotaExceeded { tier, used: Some(used), limit, requested });
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
        let error = admit(&usage(Tier::LongTerm, 4_000), &settings(), &parts).unwrap_err();
        let Error::QuotaExceeded { tier, used, limit, requested } = error else { panic!("{error}") };
        assert_eq!((tier, used, limit, requested), (Tier::LongTerm, Some(4_000), 5_000, 1_001));
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
}
