//! An insight or a quote.

use serde::{Deserialize, Serialize};

use super::{Check, Form};
use crate::memory::names;

/// The kind of a note.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoteType {
    /// A thought.
    #[default]
    Insight,
    /// The words of another.
    Quote,
}
names!(NoteType { Insight => "insight", Quote => "quote" });

/// An insight or a quote.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoteDetail {
    /// Kind of the note.
    #[serde(rename = "type")]
    pub note_type: NoteType,
    /// The source; empty if unknown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub source: String,
}

impl Form for NoteDetail {
    fn check(&mut self, check: &mut Check<'_>) {
        check.optional_text("source", &self.source);
    }

    fn texts(&self) -> Vec<&str> {
        vec![&self.source]
    }
}
