//! Open review items.

use std::collections::HashMap;

use kimberly_proto::v1;

use super::{Short, table};
use crate::{names, text};

/// Maximum length of a content in a list, in characters.
const SHOWN: usize = 160;
/// Maximum length of a content in a diff, which should be readable completely.
const WHOLE: usize = 2_000;
/// Maximum memories shown per item.
const FIRST: usize = 5;

/// Items, one per row.
pub(crate) fn reviews(list: &[v1::Review]) -> String {
    // Items of several kinds may concern the same memory.
    let of = |kind: i32| list.iter().filter(move |review| review.kind == kind).map(|review| review.id.as_str());
    let short: HashMap<i32, Short> = list.iter().map(|review| (review.kind, Short::of(of(review.kind)))).collect();
    let mut rows = table(&["id", "memory", "proposes"]);
    for review in list {
        rows.add_row([
            shown(review, short.get(&review.kind)),
            about(review).join("\n"),
            names::review_change(review.proposes),
        ]);
    }
    rows.trim_fmt()
}

/// The first memories of an item, one per line, and the proposed result.
fn about(review: &v1::Review) -> Vec<String> {
    if review.kind() == v1::ReviewKind::Merge {
        return diff(review);
    }
    let all = review.memories.len();
    let contents = review.memories.iter().zip(1..).take(FIRST).map(|(memory, number)| {
        let content = text::line(&memory.content, SHOWN);
        if all == 1 { content } else { format!("{number}. {content}") }
    });
    let more = all.checked_sub(FIRST).filter(|more| *more > 0).map(|more| format!("… and {more} more"));
    let makes = (!review.makes.is_empty()).then(|| format!("→ {}", text::line(&review.makes, SHOWN)));
    let explains = makes.is_some() || review.kind() == v1::ReviewKind::Replaced;
    let why = explains.then(|| format!("({})", text::line(&review.reason, SHOWN)));
    contents.chain(more).chain(makes).chain(why).collect()
}

/// The memories that are replaced, and the replacement.
fn diff(review: &v1::Review) -> Vec<String> {
    let gone = review.memories.iter().map(|memory| format!("- {}", text::line(&memory.content, WHOLE)));
    gone.chain([format!("+ {}", text::line(&review.makes, WHOLE))]).collect()
}

/// The item's kind and the end of its id.
fn shown(review: &v1::Review, short: Option<&Short>) -> String {
    let end = short.map_or(review.id.as_str(), |short| short.id(&review.id));
    if end == review.id { end.to_owned() } else { format!("{}_{end}", names::review_kind(review.kind)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_of_two_kinds_about_one_memory_are_distinguished() {
        let memory = v1::Memory { content: "We met in the harbour, ".repeat(20), ..v1::Memory::default() };
        let review = |kind: v1::ReviewKind, name: &str| v1::Review {
            id: format!("{name}_01980000-0000-7000-8000-0000001a2b3c"),
            kind: kind.into(),
            memories: vec![memory.clone()],
            proposes: v1::ReviewChange::Confirm.into(),
            ..v1::Review::default()
        };
        let list = [review(v1::ReviewKind::Stale, "stale"), review(v1::ReviewKind::Uncertain, "uncertain")];
        let shown = reviews(&list);
        assert!(shown.contains("stale_1a2b3c") && shown.contains("uncertain_1a2b3c"), "{shown}");
    }

    #[test]
    fn what_is_merged_is_shown_as_a_diff() {
        let memory = |content: &str| v1::Memory { content: content.to_owned(), ..v1::Memory::default() };
        let review = v1::Review {
            kind: v1::ReviewKind::Merge.into(),
            memories: vec![memory("Ana plays the cello"), memory("Ana plays the cello in Basel")],
            makes: "Ana plays the cello in Basel".to_owned(),
            ..v1::Review::default()
        };
        let lines = ["- Ana plays the cello", "- Ana plays the cello in Basel", "+ Ana plays the cello in Basel"];
        assert_eq!(about(&review), lines);
    }

    #[test]
    fn of_many_memories_the_first_are_shown_with_what_becomes_of_them() {
        let memory = |number: usize| v1::Memory { content: format!("note {number}"), ..v1::Memory::default() };
        let review = |count: usize| v1::Review {
            memories: (1..=count).map(memory).collect(),
            reason: format!("{count} raw records of session trip"),
            makes: "note 1".to_owned(),
            ..v1::Review::default()
        };
        assert_eq!(about(&review(5)).len(), 7);
        let lines = about(&review(7));
        assert_eq!(lines[4..], ["5. note 5", "… and 2 more", "→ note 1", "(7 raw records of session trip)"]);
    }
}
