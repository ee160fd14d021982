//! Reads an original: its text, and its title if it has one.

use super::html;
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

/// The text of an original.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DocumentText {
    /// The title; empty if the original has none.
    pub title: String,
    /// The text, with line feeds as line ends and without NUL.
    pub body: String,
}

/// Reads an original.
pub fn read(original: &str, media_type: MediaType) -> DocumentText {
    let plain = original.trim_start_matches('\u{feff}').replace("\r\n", "\n").replace(['\r', '\0'], "\n");
    match media_type {
        MediaType::Plain => DocumentText { title: String::new(), body: plain },
        MediaType::Markdown => DocumentText { title: heading(&plain), body: plain },
        MediaType::Html => html::read(&plain),
    }
}

/// The first heading of a Markdown text, without its markup.
fn heading(text: &str) -> String {
    let found = text.lines().find_map(|line| line.strip_prefix('#').map(|rest| rest.trim_matches(['#', ' ', '\t'])));
    found.unwrap_or_default().to_owned()
}
