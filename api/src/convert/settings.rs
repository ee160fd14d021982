//! Converts settings: what a user sets from the contract; what is set and what is effective to the contract.

use kimberly_core::Result;
use kimberly_core::scoring::Weights;
use kimberly_core::settings::{Effective, EffectiveSettings, Origin, ScoringChoice, UserSettings};
use kimberly_core::time::Span;
use kimberly_proto::v1;
use kimberly_proto::v1::user_settings::Scoring;

use super::enums::{self, WireEnum};
use super::problems::Problems;
use super::{int64, memory, time};

/// Converts a user's settings. Unset fields follow the server. The domain checks the bounds.
pub fn user_settings(raw: v1::UserSettings) -> Result<UserSettings> {
    let mut problems = Problems::default();
    let scoring = raw.scoring.map(|given| scoring(&given, &mut problems));
    let mut number = |name: &str, what: &str, value: Option<i64>| {
        problems.take(&format!("user_settings.{name}"), unsigned(what, value))
    };
    let mut count = |name: &str, value| number(name, "vectors", value);
    let vector_cap = count("vector_cap", raw.vector_cap);
    let daily_embedding_limit = count("daily_embedding_limit", raw.daily_embedding_limit);
    let weekly_embedding_limit = count("weekly_embedding_limit", raw.weekly_embedding_limit);
    let mut bytes = |name: &str, value| number(name, "bytes", value);
    let settings = UserSettings {
        short_term_quota_bytes: bytes("short_term_quota_bytes", raw.short_term_quota_bytes),
        long_term_quota_bytes: bytes("long_term_quota_bytes", raw.long_term_quota_bytes),
        permanent_quota_bytes: bytes("permanent_quota_bytes", raw.permanent_quota_bytes),
        archive_allowance_bytes: bytes("archive_allowance_bytes", raw.archive_allowance_bytes),
        core_memory_bytes: bytes("core_memory_bytes", raw.core_memory_bytes),
        daily_prune_cap_bytes: bytes("daily_prune_cap_bytes", raw.daily_prune_cap_bytes),
        grace: problems.take("user_settings.grace", time::optional_span(raw.grace)),
        meditation_interval: problems
            .take("user_settings.meditation_interval", time::optional_span(raw.meditation_interval)),
        short_term_lifetime: problems
            .take("user_settings.short_term_lifetime", time::optional_span(raw.short_term_lifetime)),
        low_score: raw.low_score,
        embedding_enabled: raw.embedding_enabled,
        reading_enabled: raw.reading_enabled,
        merging_enabled: raw.merging_enabled,
        vector_cap,
        daily_embedding_limit,
        weekly_embedding_limit,
        consent_retraction: problems.take("user_settings.consent_retraction", enums::optional(raw.consent_retraction)),
        scoring: scoring.flatten(),
    };
    problems.finish(settings)
}

fn unsigned(what: &str, value: Option<i64>) -> Result<Option<u64>, String> {
    let problem = |n: i64| format!("is {n}; a number of {what} is never negative");
    value.map(|n| u64::try_from(n).map_err(|_| problem(n))).transpose()
}

fn scoring(raw: &Scoring, problems: &mut Problems) -> Option<ScoringChoice> {
    match raw {
        Scoring::Preset(number) => match enums::set(*number) {
            Ok(preset) => Some(ScoringChoice::Preset(preset)),
            Err(problem) => {
                problems.add("user_settings.preset", problem);
                None
            }
        },
        Scoring::Weights(weights) => Some(ScoringChoice::Weights(Weights {
            relevance_to_goals: weights.relevance_to_goals,
            emotional_weight: weights.emotional_weight,
            predictive_value: weights.predictive_value,
            recency_freq: weights.recency_freq,
        })),
    }
}

/// Converts the settings that a user made to the contract.
pub fn wire_settings(settings: &UserSettings) -> v1::UserSettings {
    v1::UserSettings {
        short_term_quota_bytes: settings.short_term_quota_bytes.map(int64),
        long_term_quota_bytes: settings.long_term_quota_bytes.map(int64),
        permanent_quota_bytes: settings.permanent_quota_bytes.map(int64),
        archive_allowance_bytes: settings.archive_allowance_bytes.map(int64),
        core_memory_bytes: settings.core_memory_bytes.map(int64),
        grace: settings.grace.map(time::wire_duration),
        daily_prune_cap_bytes: settings.daily_prune_cap_bytes.map(int64),
        meditation_interval: settings.meditation_interval.map(time::wire_duration),
        short_term_lifetime: settings.short_term_lifetime.map(time::wire_duration),
        low_score: settings.low_score,
        embedding_enabled: settings.embedding_enabled,
        reading_enabled: settings.reading_enabled,
        merging_enabled: settings.merging_enabled,
        vector_cap: settings.vector_cap.map(int64),
        daily_embedding_limit: settings.daily_embedding_limit.map(int64),
        weekly_embedding_limit: settings.weekly_embedding_limit.map(int64),
        consent_retraction: settings.consent_retraction.map_or(0, WireEnum::number),
        scoring: settings.scoring.map(|choice| match choice {
            ScoringChoice::Preset(preset) => Scoring::Preset(preset.number()),
            ScoringChoice::Weights(weights) => Scoring::Weights(memory::weights(weights)),
        }),
    }
}

/// Converts the effective settings to the contract.
pub fn wire_effective(effective: &EffectiveSettings) -> v1::EffectiveSettings {
    let [short_term, long_term, permanent] = effective.quotas;
    let embedding = effective.embedding;
    v1::EffectiveSettings {
        short_term_quota: Some(bytes(short_term)),
        long_term_quota: Some(bytes(long_term)),
        permanent_quota: Some(bytes(permanent)),
        archive_allowance: Some(bytes(effective.archive_allowance)),
        core_memory: Some(bytes(effective.core_memory)),
        weights: Some(v1::EffectiveWeights {
            value: Some(memory::weights(effective.weights.value)),
            origin: origin(effective.weights.origin),
            preset: effective.preset.map_or(0, WireEnum::number),
        }),
        grace: Some(duration(effective.grace)),
        daily_prune_cap: Some(bytes(effective.daily_prune_cap)),
        meditation_interval: Some(duration(effective.meditation_interval)),
        short_term_lifetime: Some(duration(effective.short_term_lifetime)),
        low_score: Some(v1::EffectiveScore {
            value: effective.low_score.value,
            origin: origin(effective.low_score.origin),
        }),
        reading_enabled: Some(v1::EffectiveSwitch {
            value: effective.reading.value,
            origin: origin(effective.reading.origin),
        }),
        merging_enabled: Some(v1::EffectiveSwitch {
            value: effective.merging.value,
            origin: origin(effective.merging.origin),
        }),
        embedding_enabled: Some(v1::EffectiveSwitch {
            value: embedding.enabled.value,
            origin: origin(embedding.enabled.origin),
        }),
        vector_cap: Some(count(embedding.vector_cap)),
        daily_embedding_limit: Some(count(embedding.daily_limit)),
        weekly_embedding_limit: Some(count(embedding.weekly_limit)),
        embedding_window: Some(v1::EffectiveWindow {
            value: embedding.window.value.to_string(),
            origin: origin(embedding.window.origin),
        }),
        consent_retraction: Some(v1::EffectiveRetraction {
            value: effective.consent_retraction.value.number(),
            origin: origin(effective.consent_retraction.origin),
        }),
    }
}

fn bytes(effective: Effective<u64>) -> v1::EffectiveBytes {
    v1::EffectiveBytes { value: int64(effective.value), origin: origin(effective.origin) }
}

fn count(effective: Effective<u64>) -> v1::EffectiveCount {
    v1::EffectiveCount { value: int64(effective.value), origin: origin(effective.origin) }
}

fn duration(effective: Effective<Span>) -> v1::EffectiveDuration {
    v1::EffectiveDuration { value: Some(time::wire_duration(effective.value)), origin: origin(effective.origin) }
}

fn origin(origin: Origin) -> i32 {
    let origin = match origin {
        Origin::User => v1::SettingOrigin::User,
        Origin::HomeFile => v1::SettingOrigin::HomeFile,
        Origin::SystemFile => v1::SettingOrigin::SystemFile,
        Origin::Environment => v1::SettingOrigin::Environment,
        Origin::Config => v1::SettingOrigin::Config,
        Origin::Default => v1::SettingOrigin::Default,
    };
    origin as i32
}

#[cfg(test)]
mod tests {
    use super::*;
    use kimberly_core::Error;
    use kimberly_core::settings::ServerDefaults;

    #[test]
    fn settings_convert_both_ways() {
        let every = UserSettings {
            short_term_quota_bytes: Some(1),
            long_term_quota_bytes: Some(2),
            permanent_quota_bytes: Some(3),
            archive_allowance_bytes: Some(4),
            scoring: Some(ScoringChoice::Preset(kimberly_core::scoring::Preset::Archival)),
            grace: Some(Span::days(5)),
            daily_prune_cap_bytes: Some(6),
            meditation_interval: Some(Span::hours(7)),
            short_term_lifetime: Some(Span::seconds(8)),
            low_score: Some(0.9),
            embedding_enabled: Some(false),
            reading_enabled: Some(false),
            merging_enabled: Some(true),
            vector_cap: Some(10),
            daily_embedding_limit: Some(11),
            weekly_embedding_limit: Some(12),
            consent_retraction: Some(kimberly_core::consent::Retraction::Seal),
            core_memory_bytes: Some(4_096),
        };
        assert_eq!(user_settings(wire_settings(&every)).unwrap(), every);
        let weights =
            Weights { relevance_to_goals: 0.1, emotional_weight: 0.2, predictive_value: 0.3, recency_freq: 0.4 };
        let weighted = UserSettings { scoring: Some(ScoringChoice::Weights(weights)), ..UserSettings::default() };
        assert_eq!(user_settings(wire_settings(&weighted)).unwrap(), weighted);
        assert_eq!(user_settings(v1::UserSettings::default()).unwrap(), UserSettings::default());
    }

    #[test]
    fn every_wrong_setting_is_named() {
        let raw = v1::UserSettings {
            short_term_quota_bytes: Some(-1),
            grace: Some(prost_types::Duration { seconds: 1, nanos: -1 }),
            scoring: Some(Scoring::Preset(0)),
            ..Default::default()
        };
        let Err(Error::Invalid(found)) = user_settings(raw) else { panic!("accepted") };
        let fields: Vec<&str> = found.iter().map(|violation| violation.field.as_str()).collect();
        assert_eq!(fields, ["user_settings.preset", "user_settings.short_term_quota_bytes", "user_settings.grace"]);
    }

    #[test]
    fn what_holds_names_its_origin() {
        let user = UserSettings { grace: Some(Span::days(1)), ..UserSettings::default() };
        let wire = wire_effective(&EffectiveSettings::resolve(&user, &ServerDefaults::default()));
        let grace = wire.grace.unwrap();
        assert_eq!((grace.value.unwrap().seconds, grace.origin), (86_400, v1::SettingOrigin::User as i32));
        assert_eq!(wire.long_term_quota.unwrap().origin, v1::SettingOrigin::Default as i32);
    }
}
