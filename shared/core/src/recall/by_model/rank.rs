//! What was found, in another order.

use serde_json::{Value, json};

use crate::extraction::by_model::{object, shown};
use crate::ports::Task;

/// Results that are put in order.
pub(crate) const MOST_RANKED: usize = 20;
/// The most of each, in bytes.
const TEXT_BYTES: usize = 600;

/// The task of putting texts in order for a query; their ids are their places. Secrets are masked.
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

/// The order that a model proposes for so many texts: those that it names first, and behind them the others as they were. What is no
/// id of one, or was named before, is dropped; `None` where it is no answer, or names nothing but that.
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
