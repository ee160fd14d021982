//! Reorders results by a language model or a cross-encoder.

use serde_json::{Value, json};

use crate::extraction::by_model::{object, shown};
use crate::ports::Task;

/// Most results that are reordered.
pub(crate) const MOST_RANKED: usize = 20;
/// The most bytes of each text.
const TEXT_BYTES: usize = 600;

/// Returns the task of ordering texts for a query; their ids are their positions. Secrets are masked.
pub(crate) fn ask_for_order(query: &str, texts: &[String]) -> Task {
    let text = |(id, text): (usize, &String)| json!({"id": id, "text": shown(text, TEXT_BYTES)});
    let texts: Vec<Value> = texts.iter().enumerate().map(text).collect();
    Task {
        name: "rank",
        instructions: include_str!("rank.txt"),
        data: json!({"question": shown(query, super::QUERY_BYTES), "texts": texts}).to_string(),
        schema: include_str!("rank.json"),
        is_awaited: true,
    }
}

/// Returns the part of a text that a cross-encoder scores.
pub(crate) fn scored_part(text: &str) -> String {
    text.get(..text.floor_char_boundary(TEXT_BYTES)).unwrap_or_default().to_owned()
}

/// Returns the order of texts by their scores, best first; texts with equal scores stay in their old order.
pub(crate) fn by_scores(scores: &[f32]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    let score = |id: &usize| scores.get(*id).copied().unwrap_or(f32::NEG_INFINITY);
    order.sort_by(|one, other| score(other).total_cmp(&score(one)));
    order
}

/// Returns the order of `count` texts that a model proposes: first those that it names, then the others in their old
/// order. Unknown and repeated ids are dropped. `None` if the answer is malformed, or holds only dropped ids.
pub(crate) fn order(answer: &str, count: usize) -> Option<Vec<usize>> {
    let Value::Array(named) = object(answer)?.get_mut("order")?.take() else { return None };
    let mut order: Vec<usize> = Vec::with_capacity(count);
    for id in named.iter().filter_map(Value::as_u64).filter_map(|id| usize::try_from(id).ok()) {
        if id < count && !order.contains(&id) {
            order.push(id);
        }
    }
    if order.is_empty() && !named.is_empty() {
        return None;
    }
    let rest: Vec<usize> = (0..count).filter(|id| !order.contains(id)).collect();
    order.extend(rest);
    Some(order)
}
