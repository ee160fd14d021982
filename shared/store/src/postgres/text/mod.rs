//! Full text: tokens are those of FTS5's tokenizer (`crate::sealed::Analyser`), so that every backend finds the
//! same words; Postgres keeps them in a `tsvector` and finds candidates, and what they are worth is computed here.
//!
//! Postgres keeps at most 2,046 bytes of a lexeme and 255 places, none beyond 16,383, and at most a mebibyte in all. Whether
//! that cut anything off a memory is seen in what is read back (`vector`), and its content is then taken apart once more.

mod index;
mod postings;
mod query;
mod vector;

pub(crate) use index::index_values;
pub(crate) use postings::{Newer, Postings};
pub(crate) use query::Wanted;

/// The longest lexeme that Postgres takes, in bytes.
const LONGEST_LEXEME: usize = 2_046;
/// The most places of a lexeme that are kept.
const MOST_PLACES: usize = 255;
/// The last place that Postgres can tell from those behind it.
const LAST_PLACE: usize = 16_382;
/// Memories with more tokens may lack places of theirs in the index.
pub(crate) const SURELY_WHOLE: i64 = 255;

/// Whether a token stands in the index as it is.
pub(crate) fn is_whole(token: &str) -> bool {
    token.len() <= LONGEST_LEXEME
}

/// A token as it stands in the index: cut between characters if it is too long.
pub(crate) fn lexeme(token: &str) -> &str {
    token.get(..token.floor_char_boundary(LONGEST_LEXEME)).unwrap_or(token)
}

/// A lexeme in quotes.
fn push_quoted(out: &mut String, lexeme: &str) {
    out.push('\'');
    for c in lexeme.chars() {
        if matches!(c, '\'' | '\\') {
            out.push(c);
        }
        out.push(c);
    }
    out.push('\'');
}
