//! Full text. Tokens come from FTS5's tokenizer (`crate::sealed::Analyser`), so that both backends find the same words.
//! Postgres stores them in a `tsvector` and finds candidates; this module computes their ranking.
//!
//! Postgres stores at most 2,046 bytes of a lexeme, 255 positions per lexeme, no position above 16,383, and at most 1
//! MiB in all. The vector that is read back shows whether anything of a memory was cut off (`vector`); its content is
//! then tokenized again.

mod index;
mod postings;
mod query;
mod vector;

pub(crate) use index::index_values;
pub(crate) use postings::{Newer, Postings};
pub(crate) use query::Wanted;

/// Longest lexeme that Postgres accepts, in bytes.
const LONGEST_LEXEME: usize = 2_046;
/// Maximum number of stored positions per lexeme.
const MOST_POSITIONS: usize = 255;
/// The last position that Postgres stores exactly.
const LAST_POSITION: usize = 16_382;
/// Memories with more tokens than this may lack positions in the index.
pub(crate) const SURELY_WHOLE: i64 = 255;

/// Reports whether the index contains a token unabridged.
pub(crate) fn is_whole(token: &str) -> bool {
    token.len() <= LONGEST_LEXEME
}

/// Returns a token as indexed: cut at a character boundary if it is too long.
pub(crate) fn lexeme(token: &str) -> &str {
    token.get(..token.floor_char_boundary(LONGEST_LEXEME)).unwrap_or(token)
}

/// Appends a quoted lexeme.
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
