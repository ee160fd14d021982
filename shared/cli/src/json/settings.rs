//! Settings as JSON.

use kimberly_proto::v1;
use serde_json::{Value, json};

use super::{compact, span, weights};
use crate::names;

/// What a user set.
pub(crate) fn user_settings(settings: &v1::UserSettings) -> Value {
    use v1::user_settings::Scoring;
    let (preset, four) = match &settings.scoring {
        Some(Scoring::Preset(preset)) => (Some(names::preset(*preset)), None),
        Some(Scoring::Weights(four)) => (None, Some(weights(four))),
        None => (None, None),
    };
    compact(json!({
        "short_term_quota_bytes": settings.short_term_quota_bytes,
        "long_term_quota_bytes": settings.long_term_quota_bytes,
        "permanent_quota_bytes": settings.permanent_quota_bytes,
        "archive_allowance_bytes": settings.archive_allowance_bytes,
        "preset": preset,
        "weights": four,
        "grace": span(settings.grace.as_ref()),
        "daily_prune_cap_bytes": settings.daily_prune_cap_bytes,
        "meditation_interval": span(settings.meditation_interval.as_ref()),
        "short_term_lifetime": span(settings.short_term_lifetime.as_ref()),
        "low_score": settings.low_score,
        "embedding_enabled": settings.embedding_enabled,
        "vector_cap": settings.vector_cap,
        "daily_embedding_limit": settings.daily_embedding_limit,
        "weekly_embedding_limit": settings.weekly_embedding_limit,
        "consent_retraction": names::retraction(settings.consent_retraction),
    }))
}

/// What holds, each value with its origin.
pub(crate) fn effective_settings(held: &v1::EffectiveSettings) -> Value {
    let bytes = |value: &Option<v1::EffectiveBytes>| {
        value.map_or(Value::Null, |held| json!({"value": held.value, "origin": names::origin(held.origin)}))
    };
    let time = |value: &Option<v1::EffectiveDuration>| {
        value.map_or(
            Value::Null,
            |held| json!({"value": span(held.value.as_ref()), "origin": names::origin(held.origin)}),
        )
    };
    let scoring = held.weights.as_ref().map(|held| {
        compact(json!({
            "value": held.value.as_ref().map(weights),
            "origin": names::origin(held.origin),
            "preset": names::preset(held.preset),
        }))
    });
    let low = held.low_score.map(|held| json!({"value": held.value, "origin": names::origin(held.origin)}));
    let enabled = held.embedding_enabled.map(|held| json!({"value": held.value, "origin": names::origin(held.origin)}));
    let count = |value: Option<v1::EffectiveCount>| {
        value.map_or(Value::Null, |held| json!({"value": held.value, "origin": names::origin(held.origin)}))
    };
    let window = held.embedding_window.as_ref();
    let window = window.map(|held| json!({"value": held.value, "origin": names::origin(held.origin)}));
    let retraction = held.consent_retraction;
    let retraction =
        retraction.map(|held| json!({"value": names::retraction(held.value), "origin": names::origin(held.origin)}));
    compact(json!({
        "short_term_quota": bytes(&held.short_term_quota),
        "long_term_quota": bytes(&held.long_term_quota),
        "permanent_quota": bytes(&held.permanent_quota),
        "archive_allowance": bytes(&held.archive_allowance),
        "weights": scoring,
        "grace": time(&held.grace),
        "daily_prune_cap": bytes(&held.daily_prune_cap),
        "meditation_interval": time(&held.meditation_interval),
        "short_term_lifetime": time(&held.short_term_lifetime),
        "low_score": low,
        "embedding_enabled": enabled,
        "vector_cap": count(held.vector_cap),
        "daily_embedding_limit": count(held.daily_embedding_limit),
        "weekly_embedding_limit": count(held.weekly_embedding_limit),
        "embedding_window": window,
        "consent_retraction": retraction,
    }))
}
