//! Settles the levels into what holds for one user.

use super::{Origin, ServerDefaults, UserSettings};
use crate::memory::Tier;
use crate::scoring::{Preset, Weights};
use crate::time::Span;

/// A value that holds, and where it comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effective<T> {
    /// The value.
    pub value: T,
    /// Where it comes from.
    pub origin: Origin,
}

/// Everything that holds for a user.
#[derive(Clone, Debug, PartialEq)]
pub struct EffectiveSettings {
    /// Quotas in the order of `Tier::ALL`.
    pub quotas: [Effective<u64>; 3],
    /// Allowance of the archive.
    pub archive_allowance: Effective<u64>,
    /// The hard limit as a share of the quota in percent.
    pub hard_limit_percent: u64,
    /// Weights, normalized to sum 1.
    pub weights: Effective<Weights>,
    /// The preset they are, if any.
    pub preset: Option<Preset>,
    /// Grace window.
    pub grace: Effective<Span>,
    /// Daily cap on erased bytes.
    pub daily_prune_cap: Effective<u64>,
    /// Time between scheduled meditations.
    pub meditation_interval: Effective<Span>,
    /// Lifetime of short-term memories.
    pub short_term_lifetime: Effective<Span>,
    /// Score below which a memory whose grace has passed is erased.
    pub low_score: Effective<f64>,
    /// Levels that were passed over, each with what is wrong and what is allowed.
    pub warnings: Vec<String>,
}

impl EffectiveSettings {
    /// The quota of a tier in bytes.
    pub const fn quota(&self, tier: Tier) -> u64 {
        self.quotas[tier as usize].value
    }

    /// The hard limit of a tier in bytes, where writes are refused (K-1.4).
    pub const fn hard_limit(&self, tier: Tier) -> u64 {
        self.quota(tier).saturating_mul(self.hard_limit_percent) / 100
    }

    /// Settles what holds: the user's own value, else the server's (K-3.4); invalid weights fall back to the next level
    /// with a warning (K-3.5).
    pub fn resolve(user: &UserSettings, server: &ServerDefaults) -> Self {
        let _ = (user, server);
        unimplemented!()
    }
}
