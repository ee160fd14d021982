//! A document.

use serde::{Deserialize, Serialize};

use super::{Check, Form};
use crate::bounds::MAX_TITLE_BYTES;

/// A document, whose text is read by passages.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentDetail {
    /// What it is called.
    pub title: String,
    /// What kind of text its original is, such as `text/html`; empty where it has none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub media_type: String,
    /// The attachment that is its original; empty where it has none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub attachment: String,
    /// Bytes of its text.
    #[serde(default)]
    pub text_bytes: i64,
    /// Passages of its text.
    #[serde(default)]
    pub passages: i64,
}

impl Form for DocumentDetail {
    fn check(&mut self, check: &mut Check<'_>) {
        check.name("title", &mut self.title, MAX_TITLE_BYTES);
        check.optional_text("media_type", &self.media_type);
        check.optional_text("attachment", &self.attachment);
        check.count("text_bytes", self.text_bytes);
        check.count("passages", self.passages);
    }

    /// None: its content begins with its title, and its text is searched by passages.
    fn texts(&self) -> Vec<&str> {
        Vec::new()
    }
}
