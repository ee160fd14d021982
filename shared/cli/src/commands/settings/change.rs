//! `kimberly settings set` and `reset`: names and values as people write them.

use kimberly_proto::v1;
use kimberly_proto::v1::user_settings::Scoring;
use kimberly_runtime::config::{Bytes, Period};

use crate::error::{CliError, CliResult};
use crate::names::{PresetArg, RetractionArg};

/// The settings that can be changed, for the help.
pub(super) const KEYS: &str = "Keys: short_term_quota, long_term_quota, permanent_quota, archive_allowance, core_memory, \
    daily_prune_cap (sizes such as 4MiB);\n\
    grace, meditation_interval, short_term_lifetime (spans such as 30d, 12h);\n\
    low_score (0 to 1); embedding_enabled, reading_enabled, merging_enabled (on, off); vector_cap, daily_embedding_limit, weekly_embedding_limit \
    (numbers; 0 for no limit); consent_retraction (purge, seal); preset (balanced, task-focused, feedback-driven, fresh-context, archival);\n\
    weights (relevance,emotional,predictive,recency such as 0.4,0.3,0.2,0.1)";

/// New values and the names of their fields.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Change {
    pub(super) settings: v1::UserSettings,
    pub(super) paths: Vec<String>,
}

const PATHS: [(&str, &str); 19] = [
    ("short_term_quota", "short_term_quota_bytes"),
    ("long_term_quota", "long_term_quota_bytes"),
    ("permanent_quota", "permanent_quota_bytes"),
    ("archive_allowance", "archive_allowance_bytes"),
    ("core_memory", "core_memory_bytes"),
    ("preset", "scoring"),
    ("weights", "scoring"),
    ("grace", "grace"),
    ("daily_prune_cap", "daily_prune_cap_bytes"),
    ("meditation_interval", "meditation_interval"),
    ("short_term_lifetime", "short_term_lifetime"),
    ("low_score", "low_score"),
    ("embedding_enabled", "embedding_enabled"),
    ("reading_enabled", "reading_enabled"),
    ("merging_enabled", "merging_enabled"),
    ("vector_cap", "vector_cap"),
    ("daily_embedding_limit", "daily_embedding_limit"),
    ("weekly_embedding_limit", "weekly_embedding_limit"),
    ("consent_retraction", "consent_retraction"),
];

/// Parses `KEY=VALUE` arguments.
pub(super) fn set(values: &[String]) -> CliResult<Change> {
    let mut change = Change::default();
    for argument in values {
        let (key, value) = argument.split_once('=').ok_or_else(|| {
            CliError::usage(format!("{argument:?} has no value; write it as KEY=VALUE, such as grace=60d"))
        })?;
        apply(&mut change.settings, key, value)?;
        add(&mut change.paths, path(key)?);
    }
    Ok(change)
}

/// Parses `KEY` arguments; a field in the mask without a value is reset.
pub(super) fn reset(keys: &[String]) -> CliResult<Change> {
    let mut change = Change::default();
    for key in keys {
        if key == "all" {
            for (_, path) in PATHS {
                add(&mut change.paths, path);
            }
        } else {
            add(&mut change.paths, path(key)?);
        }
    }
    Ok(change)
}

fn add(paths: &mut Vec<String>, path: &str) {
    if !paths.iter().any(|known| known == path) {
        paths.push(path.to_owned());
    }
}

fn path(key: &str) -> CliResult<&'static str> {
    let known = PATHS.iter().find(|(name, path)| *name == key || *path == key);
    known.map(|(_, path)| *path).ok_or_else(|| CliError::usage(format!("there is no setting {key:?}\n{KEYS}")))
}

fn apply(settings: &mut v1::UserSettings, key: &str, value: &str) -> CliResult {
    match key.strip_suffix("_bytes").unwrap_or(key) {
        "short_term_quota" => settings.short_term_quota_bytes = Some(bytes(key, value)?),
        "long_term_quota" => settings.long_term_quota_bytes = Some(bytes(key, value)?),
        "permanent_quota" => settings.permanent_quota_bytes = Some(bytes(key, value)?),
        "archive_allowance" => settings.archive_allowance_bytes = Some(bytes(key, value)?),
        "core_memory" => settings.core_memory_bytes = Some(bytes(key, value)?),
        "daily_prune_cap" => settings.daily_prune_cap_bytes = Some(bytes(key, value)?),
        "grace" => settings.grace = Some(span(key, value)?),
        "meditation_interval" => settings.meditation_interval = Some(span(key, value)?),
        "short_term_lifetime" => settings.short_term_lifetime = Some(span(key, value)?),
        "low_score" => settings.low_score = Some(number(key, value)?),
        "reading_enabled" => settings.reading_enabled = Some(switch(key, value)?),
        "merging_enabled" => settings.merging_enabled = Some(switch(key, value)?),
        "embedding_enabled" => settings.embedding_enabled = Some(switch(key, value)?),
        "vector_cap" => settings.vector_cap = Some(count(key, value)?),
        "daily_embedding_limit" => settings.daily_embedding_limit = Some(count(key, value)?),
        "weekly_embedding_limit" => settings.weekly_embedding_limit = Some(count(key, value)?),
        "consent_retraction" => settings.consent_retraction = retraction(key, value)?,
        "preset" => settings.scoring = Some(Scoring::Preset(preset(value)?)),
        "weights" => settings.scoring = Some(Scoring::Weights(weights(value)?)),
        _ => {}
    }
    Ok(())
}

fn wrong(key: &str, value: &str, expected: &str) -> CliError {
    CliError::usage(format!("{key} is {value:?}; write {expected}"))
}

fn bytes(key: &str, value: &str) -> CliResult<i64> {
    let parsed = value.parse::<Bytes>().map_err(|expected| wrong(key, value, expected))?;
    i64::try_from(parsed.0).map_err(|_| wrong(key, value, "a smaller number"))
}

fn span(key: &str, value: &str) -> CliResult<prost_types::Duration> {
    let parsed = value.parse::<Period>().map_err(|expected| wrong(key, value, expected))?;
    prost_types::Duration::try_from(parsed.0).map_err(|_| wrong(key, value, "a shorter span"))
}

fn number(key: &str, value: &str) -> CliResult<f64> {
    value.trim().parse().map_err(|_| wrong(key, value, "a number such as 0.5"))
}

fn count(key: &str, value: &str) -> CliResult<i64> {
    value.trim().parse().map_err(|_| wrong(key, value, "a whole number such as 200"))
}

fn switch(key: &str, value: &str) -> CliResult<bool> {
    match value.trim() {
        "on" | "true" => Ok(true),
        "off" | "false" => Ok(false),
        _ => Err(wrong(key, value, "on or off")),
    }
}

fn retraction(key: &str, value: &str) -> CliResult<i32> {
    RetractionArg::number(value.trim()).ok_or_else(|| wrong(key, value, "purge or seal"))
}

fn preset(value: &str) -> CliResult<i32> {
    let expected = "balanced, task-focused, feedback-driven, fresh-context or archival";
    PresetArg::number(&value.replace('-', "_")).ok_or_else(|| wrong("preset", value, expected))
}

fn weights(value: &str) -> CliResult<v1::Weights> {
    let parts = value.split(',').map(|part| number("weights", part)).collect::<CliResult<Vec<_>>>()?;
    let [relevance_to_goals, emotional_weight, predictive_value, recency_freq] = parts[..] else {
        return Err(wrong("weights", value, "four numbers: relevance,emotional,predictive,recency"));
    };
    Ok(v1::Weights { relevance_to_goals, emotional_weight, predictive_value, recency_freq })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(list: &[&str]) -> Vec<String> {
        list.iter().map(|text| (*text).to_owned()).collect()
    }

    #[test]
    fn values_are_read_as_people_write_them() {
        let change =
            set(&args(&["long_term_quota=4MiB", "grace=60d", "weights=1,0.5,0,0.25", "low_score=0.3"])).unwrap();
        assert_eq!(change.paths, ["long_term_quota_bytes", "grace", "scoring", "low_score"]);
        assert_eq!(change.settings.long_term_quota_bytes, Some(4 << 20));
        assert_eq!(change.settings.grace.map(|span| span.seconds), Some(60 * 86_400));
        assert!(matches!(change.settings.scoring, Some(Scoring::Weights(w)) if (w.recency_freq - 0.25).abs() < 1e-12));
    }

    #[test]
    fn every_key_that_can_be_set_changes_something() {
        for (key, _) in PATHS {
            let value = match key {
                "preset" => "task-focused",
                "weights" => "1,0,0,0",
                "low_score" => "0.1",
                "embedding_enabled" | "reading_enabled" | "merging_enabled" => "off",
                "consent_retraction" => "seal",
                _ => "2048",
            };
            let change = set(&args(&[&format!("{key}={value}")])).unwrap();
            assert_ne!(change.settings, v1::UserSettings::default(), "{key}");
        }
    }

    #[test]
    fn reset_names_fields_without_values_and_all_names_each_once() {
        let change = reset(&args(&["grace", "preset", "weights"])).unwrap();
        assert_eq!(
            (change.paths.as_slice(), change.settings),
            (["grace".to_owned(), "scoring".to_owned()].as_slice(), v1::UserSettings::default())
        );
        assert_eq!(reset(&args(&["all"])).unwrap().paths.len(), PATHS.len() - 1);
    }

    #[test]
    fn nonsense_is_refused_with_what_to_write() {
        for (bad, part) in [
            ("grace", "KEY=VALUE"),
            ("grace=soon", "30d"),
            ("size=1", "long_term_quota"),
            ("preset=x", "archival"),
            ("weights=1,2", "four"),
        ] {
            let message = set(&args(&[bad])).unwrap_err().message().to_owned();
            assert!(message.contains(part), "{bad}: {message}");
        }
    }
}
