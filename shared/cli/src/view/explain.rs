//! Explains a memory's score, and why it was found.

use kimberly_proto::v1;

use super::{decimal, right, table, width};
use crate::text;

/// Width of the names of stages, and of each result beside them, with spaces.
const STAGE: usize = 22;
const RESULT: usize = 7;

/// The effect of each stage, and its part in each result; empty if explanations were not requested.
pub(crate) fn stages(answer: &v1::QueryMemoriesResponse) -> String {
    if answer.stages.is_empty() {
        return String::new();
    }
    let mut rows = table(&["stage", "in", "out", "did"]);
    for did in &answer.stages {
        let note = if did.on { text::line(&did.note, 100) } else { "off".to_owned() };
        rows.add_row([
            text::line(&did.name, 20).into(),
            right(did.candidates_in),
            right(did.candidates_out),
            note.into(),
        ]);
    }
    let most = (width().saturating_sub(STAGE) / RESULT).max(1);
    let tables = answer.results.len().div_ceil(most).max(1);
    let each = answer.results.len().div_ceil(tables).max(1);
    let beside = answer.results.chunks(each).enumerate();
    let parts = beside.map(|(index, beside)| parts(&answer.stages, beside, 1 + index * each));
    std::iter::once(rows.trim_fmt()).chain(parts).fold(String::new(), |text, table| text + "\n\n" + &table)
}

/// The stages that contributed to any of these results as rows, the results as columns.
fn parts(stages: &[v1::RecallStage], results: &[v1::QueryResult], first: usize) -> String {
    let numbers: Vec<String> = (first..first + results.len()).map(|number| number.to_string()).collect();
    let headers: Vec<&str> = std::iter::once("stage").chain(numbers.iter().map(String::as_str)).collect();
    let mut rows = table(&headers);
    let of = |result: &v1::QueryResult, stage: &str| {
        result.explanation.as_ref().and_then(|why| why.parts.get(stage).copied()).unwrap_or_default()
    };
    let counts = |stage: &&v1::RecallStage| results.iter().any(|result| of(result, &stage.name).abs() > 0.0);
    for stage in stages.iter().filter(counts) {
        let cells = results.iter().map(|result| right(short(of(result, &stage.name))));
        rows.add_row(std::iter::once(text::line(&stage.name, 20).into()).chain(cells));
    }
    rows.add_row(std::iter::once("score".into()).chain(results.iter().map(|result| right(short(result.score)))));
    rows.trim_fmt()
}

/// At most three digits, or a dot for zero.
fn short(value: f64) -> String {
    match value.abs() {
        none if none < 1e-9 => "·".to_owned(),
        tiny if tiny < 0.005 => format!("{value:.0e}"),
        small if small < 10.0 => format!("{value:.2}"),
        large if large < 100.0 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
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

/// A number without trailing zeros.
fn plain(value: f64) -> String {
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
