//! Finds names in a text: a pure function of the text and word lists. Nothing here reads a vault:
//! [`resolve`](super::resolve) decides which names belong together. A name supported only by a capital is kept with a
//! low confidence and counts if another text of the vault is surer.

mod judge;
mod patterns;
mod runs;
mod titles;
pub(super) mod tokens;

use std::ops::Range;

use super::EntityType;
use super::words::english;

/// Most names found in one text.
const MOST: usize = 256;

/// A name found in a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Byte range in the text.
    pub span: Range<usize>,
    /// The likely type.
    pub kind: EntityType,
    /// Confidence, 0 to 1.
    pub confidence: f64,
    /// Number of its sentence.
    pub sentence: u32,
}

/// Finds the names in a text, in order and without overlaps.
pub fn find(text: &str) -> Vec<Found> {
    let words = english();
    let mut all = patterns::find(text, words);
    let tokens = tokens::tokens(text, words);
    all.extend(titles::find(text, &all));
    for found in &mut all {
        let token = tokens.iter().rev().find(|token| token.span.start <= found.span.end);
        found.sentence = token.map_or(0, |token| token.sentence);
    }
    let written: Vec<Range<usize>> = all.iter().map(|found| found.span.clone()).collect();
    let free = |span: &Range<usize>| written.iter().all(|other| span.end <= other.start || other.end <= span.start);
    let runs = runs::runs(text, &tokens, words);
    let technical = all.iter().any(|found| matches!(found.kind, EntityType::Code | EntityType::File))
        || runs.iter().any(|run| words.known(&run.folded(&tokens), false) == Some(EntityType::Product));
    let named = runs.iter().filter(|run| free(&run.span(&tokens)));
    let named: Vec<Found> = named.filter_map(|run| judge::judge((text, technical), &tokens, run, words)).collect();
    all.extend(named);
    all.sort_by_key(|found| (found.span.start, found.span.end));
    all.truncate(MOST);
    all
}
