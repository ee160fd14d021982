//! Reads an original: its text, and its title if it has one.

use super::{DocumentText, MediaType, html};

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
