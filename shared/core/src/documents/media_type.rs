//! The media types of originals.

use crate::memory::names;

/// The media type of an original.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MediaType {
    /// Plain text.
    #[default]
    Plain,
    /// Markdown, kept verbatim.
    Markdown,
    /// HTML, of which only the visible text is kept.
    Html,
}
names!(MediaType {
    Plain => "text/plain",
    Markdown => "text/markdown",
    Html => "text/html",
});

impl MediaType {
    /// Guesses the type from a file name; `None` for unknown extensions.
    pub fn of_name(name: &str) -> Option<Self> {
        let ending = name.rsplit_once('.')?.1.to_ascii_lowercase();
        match ending.as_str() {
            "txt" | "text" => Some(Self::Plain),
            "md" | "markdown" => Some(Self::Markdown),
            "html" | "htm" | "xhtml" => Some(Self::Html),
            _ => None,
        }
    }
}
