//! What waits for a person.

use kimberly_proto::v1;

use super::{Short, table};
use crate::{names, text};

/// Longest content in a list, in characters.
const SHOWN: usize = 160;

/// Items in a row each.
pub(crate) fn reviews(list: &[v1::Review]) -> String {
    let short = Short::of(list.iter().map(|review| review.id.as_str()));
    let mut rows = table(&["id", "why", "memory", "proposes"]);
    for review in list {
        let contents = review.memories.iter().zip(1..).map(|(memory, number)| {
            let content = text::line(&memory.content, SHOWN);
            if review.memories.len() == 1 { content } else { format!("{number}. {content}") }
        });
        rows.add_row([
            short.id(&review.id).to_owned(),
            names::review_kind(review.kind),
            contents.collect::<Vec<_>>().join("\n"),
            names::review_change(review.proposes),
        ]);
    }
    rows.trim_fmt()
}
