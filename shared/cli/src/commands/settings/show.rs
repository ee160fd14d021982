//! `kimberly settings show`

use kimberly_proto::v1;
use prost_types::Duration;

use crate::context::Context;
use crate::error::CliResult;
use crate::view::table;
use crate::{json, names, text};

/// Reads and shows the effective settings.
pub(super) async fn run(context: &Context) -> CliResult {
    let request = v1::GetSettingsRequest { user_id: context.user.clone() };
    let held = context.connect().await?.settings().get_settings(request).await?.into_inner();
    context.out.answer(|| json::of(&held), || rows(&held))
}

/// The effective settings with their origins, one per row.
pub(super) fn rows(held: &v1::GetSettingsResponse) -> String {
    let now = held.effective.clone().unwrap_or_default();
    let bytes = |value: Option<v1::EffectiveBytes>| value.map(|held| (text::bytes(held.value), held.origin));
    let time = |value: Option<v1::EffectiveDuration>| value.map(|held| (span(held.value.as_ref()), held.origin));
    let list = [
        ("short_term_quota", bytes(now.short_term_quota)),
        ("long_term_quota", bytes(now.long_term_quota)),
        ("permanent_quota", bytes(now.permanent_quota)),
        ("archive_allowance", bytes(now.archive_allowance)),
        ("core_memory", bytes(now.core_memory)),
        ("weights", now.weights.as_ref().map(|held| (weights(held), held.origin))),
        ("grace", time(now.grace)),
        ("daily_prune_cap", bytes(now.daily_prune_cap)),
        ("meditation_interval", time(now.meditation_interval)),
        ("short_term_lifetime", time(now.short_term_lifetime)),
        ("low_score", now.low_score.map(|held| (held.value.to_string(), held.origin))),
        ("embedding_enabled", now.embedding_enabled.map(|held| (text::on_or_off(held.value).to_owned(), held.origin))),
        ("reading_enabled", now.reading_enabled.map(|held| (text::on_or_off(held.value).to_owned(), held.origin))),
        ("merging_enabled", now.merging_enabled.map(|held| (text::on_or_off(held.value).to_owned(), held.origin))),
        ("vector_cap", now.vector_cap.map(|held| (held.value.to_string(), held.origin))),
        ("daily_embedding_limit", limit(now.daily_embedding_limit)),
        ("weekly_embedding_limit", limit(now.weekly_embedding_limit)),
        ("embedding_window", now.embedding_window.map(|held| (held.value, held.origin))),
        ("consent_retraction", now.consent_retraction.map(|held| (names::retraction(held.value), held.origin))),
    ];
    let mut rows = table(&["setting", "value", "from"]);
    for (name, value) in list {
        let (value, origin) = value.unwrap_or_default();
        rows.add_row([name.to_owned(), value, names::origin(origin).replace('_', " ")]);
    }
    let warnings = held.warnings.iter().map(|warning| format!("\nwarning: {}", text::printable(warning)));
    let rows = rows.trim_fmt();
    format!("{rows}{}", warnings.collect::<String>())
}

fn limit(held: Option<v1::EffectiveCount>) -> Option<(String, i32)> {
    held.map(|held| (if held.value == 0 { "none".to_owned() } else { held.value.to_string() }, held.origin))
}

fn weights(held: &v1::EffectiveWeights) -> String {
    let four = held.value.unwrap_or_default();
    let preset = names::preset(held.preset);
    let preset = if preset.is_empty() { preset } else { format!("{preset}: ") };
    format!(
        "{preset}relevance {:.2}, emotional {:.2}, predictive {:.2}, recency {:.2}",
        four.relevance_to_goals, four.emotional_weight, four.predictive_value, four.recency_freq
    )
}

fn span(value: Option<&Duration>) -> String {
    value.map_or_else(String::new, |span| if span.nanos == 0 { text::seconds(span.seconds) } else { span.to_string() })
}
