//! The words of a query.

/// A word of the query at its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token<'q> {
    /// The word as written.
    pub raw: &'q str,
    /// The word as the index compares it.
    pub folded: String,
}

impl Token<'_> {
    pub(super) fn is_capitalized(&self) -> bool {
        self.raw.starts_with(char::is_uppercase)
    }
}
