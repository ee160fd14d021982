//! Bounds of settings.

use kimberly_proto::v1 as pb;
use kimberly_tests::drafts::mask;
use pb::user_settings::Scoring;

use super::{Judge, seconds, user};

const TIB: i64 = 1 << 40;
const DAY: i64 = 86_400;

fn set(path: &str, settings: &pb::UserSettings) -> pb::UpdateSettingsRequest {
    let (user_settings, update_mask) = (Some(*settings), Some(mask(&[path])));
    pb::UpdateSettingsRequest { user_id: user(), user_settings, update_mask, ..Default::default() }
}

/// A setter of one field.
type Setter<T> = fn(&mut pb::UserSettings, T);

fn one<T>(path: &str, set_to: Setter<T>, value: T) -> pb::UpdateSettingsRequest {
    let mut settings = pb::UserSettings::default();
    set_to(&mut settings, value);
    set(path, &settings)
}

#[tokio::test]
async fn bytes() {
    let judge = Judge::new().await;
    let fields: [(&str, Setter<i64>, i64, i64); 5] = [
        ("short_term_quota_bytes", |s, v| s.short_term_quota_bytes = Some(v), 1024, TIB),
        ("long_term_quota_bytes", |s, v| s.long_term_quota_bytes = Some(v), 1024, TIB),
        ("permanent_quota_bytes", |s, v| s.permanent_quota_bytes = Some(v), 1024, TIB),
        ("archive_allowance_bytes", |s, v| s.archive_allowance_bytes = Some(v), 1024, 3 * TIB),
        ("daily_prune_cap_bytes", |s, v| s.daily_prune_cap_bytes = Some(v), 0, TIB),
    ];
    for (path, setter, least, most) in fields {
        let field = format!("user_settings.{path}");
        judge.holds("least", &field, one(path, setter, least), one(path, setter, least - 1)).await;
        judge.holds("most", &field, one(path, setter, most), one(path, setter, most + 1)).await;
    }
}

#[tokio::test]
async fn vectors() {
    let judge = Judge::new().await;
    let fields: [(&str, Setter<i64>, i64, i64); 3] = [
        ("vector_cap", |s, v| s.vector_cap = Some(v), 1, 1_000_000),
        ("daily_embedding_limit", |s, v| s.daily_embedding_limit = Some(v), 0, 1_000_000_000),
        ("weekly_embedding_limit", |s, v| s.weekly_embedding_limit = Some(v), 0, 1_000_000_000),
    ];
    for (path, setter, least, most) in fields {
        let field = format!("user_settings.{path}");
        judge.holds("least", &field, one(path, setter, least), one(path, setter, least - 1)).await;
        judge.holds("most", &field, one(path, setter, most), one(path, setter, most + 1)).await;
    }
}

#[tokio::test]
async fn spans() {
    let judge = Judge::new().await;
    let fields: [(&str, Setter<i64>, i64, i64); 3] = [
        ("grace", |s, v| s.grace = Some(seconds(v)), 0, 3_650 * DAY),
        ("meditation_interval", |s, v| s.meditation_interval = Some(seconds(v)), 3_600, 365 * DAY),
        ("short_term_lifetime", |s, v| s.short_term_lifetime = Some(seconds(v)), 60, 365 * DAY),
    ];
    for (path, setter, least, most) in fields {
        let field = format!("user_settings.{path}");
        judge.holds("least", &field, one(path, setter, least), one(path, setter, least - 1)).await;
        judge.holds("most", &field, one(path, setter, most), one(path, setter, most + 1)).await;
    }
}

#[tokio::test]
async fn scores_and_weights() {
    let judge = Judge::new().await;
    let low = |value| set("low_score", &pb::UserSettings { low_score: Some(value), ..Default::default() });
    judge.holds("least", "user_settings.low_score", low(0.0), low(-0.001)).await;
    judge.holds("most", "user_settings.low_score", low(1.0), low(1.001)).await;
    judge.refuses("not a number", "user_settings.low_score", low(f64::NAN)).await;
    let weights = |relevance_to_goals, rest| {
        let weights =
            pb::Weights { relevance_to_goals, emotional_weight: rest, predictive_value: rest, recency_freq: rest };
        set("scoring", &pb::UserSettings { scoring: Some(Scoring::Weights(weights)), ..Default::default() })
    };
    let field = "user_settings.weights.relevance_to_goals";
    judge.holds("largest weight", field, weights(1.0, 0.0), weights(1.001, 0.0)).await;
    judge.holds("smallest weight", field, weights(0.0, 0.5), weights(-0.001, 0.5)).await;
    judge.refuses("all weights 0", "user_settings.weights", weights(0.0, 0.0)).await;
    let preset =
        |preset| set("scoring", &pb::UserSettings { scoring: Some(Scoring::Preset(preset)), ..Default::default() });
    judge.holds("preset", "user_settings.preset", preset(5), preset(6)).await;
    judge.refuses("a field that is none", "update_mask", set("colour", &pb::UserSettings::default())).await;
    judge.refuses("no mask", "update_mask", pb::UpdateSettingsRequest { update_mask: None, ..low(0.5) }).await;
}
