//! Finds names in a text: a pure function of it and of word lists. Nothing here reads a vault: what names have to do with each
//! other is [`resolve`](super::resolve)'s, and a name of which nothing but a capital speaks is kept as a weak one, which counts
//! where another text of the vault is surer.

mod judge;
mod patterns;
mod runs;
mod titles;
pub(super) mod tokens;

use std::ops::Range;

use super::EntityType;
use super::words::english;

/// Most names that are taken out of one text.
const MOST: usize = 256;

/// A name that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Where it stands in the text, in bytes.
    pub span: Range<usize>,
    /// What it seems to be.
    pub kind: EntityType,
    /// How sure that is, 0 to 1.
    pub confidence: f64,
    /// The number of its sentence.
    pub sentence: u32,
}

/// The names in a text, in order; none overlaps another.
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
