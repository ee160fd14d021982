//! The text of an original.

/// The text of an original.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DocumentText {
    /// The title; empty if the original has none.
    pub title: String,
    /// The text, with line feeds as line ends and without NUL.
    pub body: String,
}
