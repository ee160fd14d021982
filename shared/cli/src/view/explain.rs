//! Why a memory scores as it does, and why it was found.

use kimberly_proto::v1;

use super::{decimal, right, table};
use crate::text;

/// The parts of a recalled memory's score, one a line.
pub(crate) fn recall_parts(parts: &v1::RecallExplanation) -> String {
    let found = text::line(&parts.found_by.join(", "), 80);
    let boosts = [("speaker", parts.speaker_boost), ("time", parts.time_boost), ("form", parts.form_boost)];
    let boosts: Vec<String> =
        boosts.iter().filter(|(_, by)| (by - 1.0).abs() > 1e-9).map(|(name, by)| format!("{name} x{by:.2}")).collect();
    let boosts = if boosts.is_empty() { String::new() } else { format!("\n{}", boosts.join(", ")) };
    let vector = if parts.fusion.is_empty() {
        String::new()
    } else {
        let cosine = parts.cosine.map(|cosine| format!(" (cosine {cosine:.3})")).unwrap_or_default();
        let (own, lent) = (parts.vector, parts.vector_context);
        format!("\nvector {own:.2}{cosine}, context {lent:.2}, joined by {}", text::line(&parts.fusion, 20))
    };
    format!(
        "found by {found}\nlexical {:.2}, context {:.2}{vector}{boosts}\n{:.2} x semantic {:.3} + {:.2} x own score {:.3} + fresh {:.3}",
        parts.lexical,
        parts.context,
        parts.lambda,
        parts.semantic,
        1.0 - parts.lambda,
        parts.memory_score,
        parts.freshness_boost,
    )
}

/// The signals of a memory's score, their weights and what they were computed from.
pub(crate) fn score(why: &v1::ScoreExplanation) -> String {
    let weights = why.weights.unwrap_or_default();
    let mut rows = table(&["signal", "value", "weight", "adds"]);
    for (name, value, weight) in [
        ("relevance to goals", why.relevance_to_goals, weights.relevance_to_goals),
        ("emotional weight", why.emotional_weight, weights.emotional_weight),
        ("predictive value", why.predictive_value, weights.predictive_value),
        ("recency and frequency", why.recency_freq, weights.recency_freq),
    ] {
        rows.add_row([name.into(), decimal(value), decimal(weight), decimal(value * weight)]);
    }
    rows.add_row(["score".into(), right(""), right(""), decimal(why.score)]);
    let mut inputs: Vec<String> = why.inputs.iter().map(|(name, value)| format!("{name} {}", plain(*value))).collect();
    inputs.sort();
    let goal = if why.best_goal_id.is_empty() { String::new() } else { format!("; best goal {}", why.best_goal_id) };
    let rows = rows.trim_fmt();
    format!("{rows}\n{}, from: {}{goal}", why.scoring_version, text::line(&inputs.join(", "), 2_000))
}

/// A number without needless digits.
fn plain(value: f64) -> String {
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
