//! Resolves the levels of settings into the effective settings of a user.

use std::ops::RangeInclusive;

use super::check::{Shown, out_of_bounds};
use super::{EffectiveEmbedding, Origin, ScoringChoice, ServerDefaults, StepSettings, UserSettings};
use crate::bounds::{
    ARCHIVE_BYTES, CORE_BYTES, GRACE, MAX_CORE_BYTES, MAX_PRUNE_CAP_BYTES, MEDITATION_INTERVAL, QUOTA_BYTES,
    SHORT_TERM_LIFETIME,
};
use crate::consent::Retraction;
use crate::memory::Tier;
use crate::scoring::{Preset, Weights};
use crate::time::Span;

/// An effective value and its origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effective<T> {
    /// The value.
    pub value: T,
    /// The origin.
    pub origin: Origin,
}

/// All effective settings of a user.
#[derive(Clone, Debug, PartialEq)]
pub struct EffectiveSettings {
    /// Quotas in bytes, in the order of `Tier::ALL`.
    pub quotas: [Effective<u64>; 3],
    /// Allowance of the archive in bytes.
    pub archive_allowance: Effective<u64>,
    /// Most bytes of all blocks of core memory together.
    pub core_memory: Effective<u64>,
    /// The hard limit in percent of the quota.
    pub hard_limit_percent: u64,
    /// Weights, normalized to sum 1.
    pub weights: Effective<Weights>,
    /// The preset with these weights, if any.
    pub preset: Option<Preset>,
    /// Grace window.
    pub grace: Effective<Span>,
    /// Daily cap on erased bytes.
    pub daily_prune_cap: Effective<u64>,
    /// Interval between scheduled meditations.
    pub meditation_interval: Effective<Span>,
    /// Lifetime of short-term memories.
    pub short_term_lifetime: Effective<Span>,
    /// Score below which a memory is erased once its grace has passed.
    pub low_score: Effective<f64>,
    /// The treatment of memories whose consent is retracted.
    pub consent_retraction: Effective<Retraction>,
    /// Whether nightly runs include the steps that read records (tags, entities, links, beliefs) and those built on them.
    pub reading: Effective<bool>,
    /// Whether nightly steps merge records that say the same, instead of proposing it.
    pub merging: Effective<bool>,
    /// The steps of meditation.
    pub steps: StepSettings,
    /// Embeddings.
    pub embedding: EffectiveEmbedding,
    /// Ignored values, each with what is wrong and what is allowed.
    pub warnings: Vec<String>,
}

/// Default limit of core memory.
const CORE: (u64, Origin) = (MAX_CORE_BYTES as u64, Origin::Default);

impl EffectiveSettings {
    /// The quota of a tier in bytes.
    pub const fn quota(&self, tier: Tier) -> u64 {
        self.quotas[tier as usize].value
    }

    /// The hard limit of a tier in bytes, above which writes are refused (K-1.4).
    pub const fn hard_limit(&self, tier: Tier) -> u64 {
        self.quota(tier).saturating_mul(self.hard_limit_percent) / 100
    }

    /// Resolves the settings: the user's own value, else the server's (K-3.4). Invalid weights fall back to the next
    /// level with a warning (K-3.5), and so does any other value out of bounds.
    pub fn resolve(user: &UserSettings, server: &ServerDefaults) -> Self {
        let mut warnings = Vec::new();
        let (weights, preset) = resolve_weights(user, server, &mut warnings);
        let mut settle = Settle { warnings: &mut warnings };
        let quotas = [
            settle.pick(
                "short_term_quota_bytes",
                user.short_term_quota_bytes,
                &QUOTA_BYTES,
                server.short_term_quota_bytes,
            ),
            settle.pick(
                "long_term_quota_bytes",
                user.long_term_quota_bytes,
                &QUOTA_BYTES,
                server.long_term_quota_bytes,
            ),
            settle.pick(
                "permanent_quota_bytes",
                user.permanent_quota_bytes,
                &QUOTA_BYTES,
                server.permanent_quota_bytes,
            ),
        ];
        let allowance = server.archive_allowance_bytes.unwrap_or_else(|| sum_of_quotas(&quotas));
        let cap = 0..=MAX_PRUNE_CAP_BYTES;
        Self {
            quotas,
            archive_allowance: settle.pick(
                "archive_allowance_bytes",
                user.archive_allowance_bytes,
                &ARCHIVE_BYTES,
                allowance,
            ),
            core_memory: settle.pick("core_memory_bytes", user.core_memory_bytes, &CORE_BYTES, CORE),
            hard_limit_percent: server.hard_limit_percent,
            weights,
            preset,
            grace: settle.pick("grace", user.grace, &GRACE, server.grace),
            daily_prune_cap: settle.pick(
                "daily_prune_cap_bytes",
                user.daily_prune_cap_bytes,
                &cap,
                server.daily_prune_cap_bytes,
            ),
            meditation_interval: settle.pick(
                "meditation_interval",
                user.meditation_interval,
                &MEDITATION_INTERVAL,
                server.meditation_interval,
            ),
            short_term_lifetime: settle.pick(
                "short_term_lifetime",
                user.short_term_lifetime,
                &SHORT_TERM_LIFETIME,
                server.short_term_lifetime,
            ),
            low_score: settle.pick("low_score", user.low_score, &(0.0..=1.0), server.low_score),
            consent_retraction: said(user.consent_retraction, server.consent_retraction),
            reading: said(user.reading_enabled, (true, Origin::Default)),
            merging: said(user.merging_enabled, server.merging),
            steps: server.steps.clone(),
            embedding: EffectiveEmbedding::resolve(user, &server.embedding, &mut settle),
            warnings,
        }
    }
}

/// The user's value, else another value with its origin.
fn said<T>(user: Option<T>, (value, origin): (T, Origin)) -> Effective<T> {
    user.map_or(Effective { value, origin }, |value| Effective { value, origin: Origin::User })
}

/// Takes the user's values if they are within bounds, else the server's, and records warnings about ignored ones.
pub(super) struct Settle<'a> {
    warnings: &'a mut Vec<String>,
}

impl Settle<'_> {
    pub(super) fn pick<T: PartialOrd + Copy + Shown>(
        &mut self,
        name: &str,
        user: Option<T>,
        allowed: &RangeInclusive<T>,
        (value, origin): (T, Origin),
    ) -> Effective<T> {
        match user {
            Some(value) if allowed.contains(&value) => Effective { value, origin: Origin::User },
            Some(wrong) => {
                self.warnings.push(format!("{name} {} {}", Origin::User.description(), passed_over(&wrong, allowed)));
                Effective { value, origin }
            }
            None => Effective { value, origin },
        }
    }
}

fn passed_over<T: Shown>(wrong: &T, allowed: &RangeInclusive<T>) -> String {
    format!("was ignored: it {}", out_of_bounds(wrong, allowed))
}

/// The default allowance of the archive: the sum of the three effective quotas (K-1.5).
fn sum_of_quotas(quotas: &[Effective<u64>; 3]) -> (u64, Origin) {
    let sum = quotas.iter().fold(0, |sum: u64, quota| sum.saturating_add(quota.value));
    (sum, Origin::Default)
}

/// The weights of the most specific level with valid ones.
fn resolve_weights(
    user: &UserSettings,
    server: &ServerDefaults,
    warnings: &mut Vec<String>,
) -> (Effective<Weights>, Option<Preset>) {
    let own = user.scoring.map(|choice| (Origin::User, Ok(choice)));
    let below = server.weight_levels.iter().map(|level| (level.origin, level.choice.as_ref().map_err(String::as_str)));
    let own = own.map(|(origin, choice): (_, Result<_, &str>)| (origin, choice));
    let mut found = None;
    for (origin, choice) in own.into_iter().chain(below.map(|(origin, choice)| (origin, choice.copied()))) {
        match choice.map_err(str::to_owned).and_then(weigh) {
            Ok((weights, preset)) => {
                found.get_or_insert((Effective { value: weights, origin }, preset));
            }
            Err(problem) => warnings.push(origin.passed_over(&problem)),
        }
    }
    found.unwrap_or_else(|| {
        let preset = Preset::default();
        (Effective { value: preset.weights(), origin: Origin::Default }, Some(preset))
    })
}

fn weigh(choice: ScoringChoice) -> Result<(Weights, Option<Preset>), String> {
    match choice {
        ScoringChoice::Preset(preset) => Ok((preset.weights(), Some(preset))),
        ScoringChoice::Weights(weights) => weights.check().map(|()| (weights.normalized(), None)),
    }
}
