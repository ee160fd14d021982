//! The detail of a document.

use serde::{Deserialize, Serialize};

use super::{Check, Form};
use crate::bounds::MAX_TITLE_BYTES;

/// A document, whose text is stored as passages.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentDetail {
    /// Title of the document.
    pub title: String,
    /// Media type of the original, such as `text/html`; empty without an original.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub media_type: String,
    /// The attachment with the original; empty without one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub attachment: String,
    /// Size of the text, in bytes.
    #[serde(default)]
    pub text_bytes: i64,
    /// Number of passages.
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

    /// None: the content begins with the title, and the text is searched through its passages.
    fn texts(&self) -> Vec<&str> {
        Vec::new()
    }
}
