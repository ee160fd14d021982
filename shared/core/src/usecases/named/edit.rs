//! Edits the content of a named record in place.

use sha2::{Digest, Sha256};

use super::super::App;
use super::super::record_change::{RecordChange, Target};
use super::super::write_back::Versioning;
use crate::bounds::MAX_REASON_BYTES;
use crate::boxed;
use crate::error::{Error, Result};
use crate::ids::UserId;
use crate::memory::{Edit, Memory, MemoryReceipt, Refused, label_problem};
use crate::time::Timestamp;

/// The record to edit, and the edit.
#[derive(Clone, Debug)]
pub struct EditInput {
    /// The namespace; empty for the default one.
    pub namespace: String,
    /// The name.
    pub name: String,
    /// The edit.
    pub edit: Edit,
    /// The etag it must still have; empty for any.
    pub etag: String,
    /// SHA-256 that its content must still have, in hexadecimal; empty for any.
    pub content_sha256: String,
    /// The reason, in a few words; empty for none.
    pub reason: String,
    /// Whether to keep neither the previous content nor the existing versions.
    pub discard_previous: bool,
    /// Makes the write idempotent; empty for none.
    pub request_id: String,
    /// W3C trace context, passed on to the work that follows.
    pub traceparent: Option<String>,
}

impl App {
    /// Edits an active record; also returns the line where it changed, from 1.
    #[boxed]
    pub async fn edit_record(&self, user: &UserId, input: EditInput) -> Result<(MemoryReceipt, usize)> {
        let EditInput { namespace, name, edit, etag, content_sha256: expected, request_id, traceparent, .. } = input;
        let versioning = Versioning { reason: reason(&input.reason)?, discard: input.discard_previous };
        let (namespace, name) = self.addressed(&namespace, "name", &name)?;
        if !expected.is_empty() && !is_sha256(&expected) {
            return Err(Error::invalid(
                "content_sha256",
                "must be the SHA-256 of the content: 64 hexadecimal digits in lower case",
            ));
        }
        let action = "memory.edit";
        let key = self.key(
            &request_id,
            action,
            &(&namespace, &name, &edit, &etag, &expected, &versioning.reason, versioning.discard),
        )?;
        let limits = self.defaults.draft_limits;
        let change = Box::new(move |memory: &mut Memory, _: Timestamp| {
            super::refuse_document(memory)?;
            let content = &memory.draft.content;
            if !expected.is_empty() && sha256(content) != expected {
                return Err(Error::EtagMismatch { current: (memory.revision - 1).to_string() });
            }
            let edited = edit.apply(content).map_err(|why| refusal(&edit, &why))?;
            memory.draft.content = edited.content;
            memory.draft = std::mem::take(&mut memory.draft).normalized("record", limits)?;
            Ok(edited.line)
        });
        let of = Target::Name(namespace, name);
        self.change_record(user, RecordChange { action, of, etag, key, versioning, traceparent, change, why: None })
            .await
    }
}

/// Checks a reason; an empty one is `None`.
fn reason(raw: &str) -> Result<Option<String>> {
    let Some(raw) = Some(raw).filter(|raw| !raw.is_empty()) else { return Ok(None) };
    match label_problem(raw, MAX_REASON_BYTES) {
        Some(problem) => Err(Error::invalid("reason", problem)),
        None => Ok(Some(raw.to_owned())),
    }
}

/// Returns the SHA-256 of a text, in hexadecimal.
pub fn sha256(text: &str) -> String {
    Sha256::digest(text).iter().fold(String::new(), |hex, byte| {
        let digit = |nibble: u8| char::from_digit(nibble.into(), 16).unwrap_or_default();
        hex + &String::from_iter([digit(byte >> 4), digit(byte & 15)])
    })
}

fn is_sha256(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
}

/// Makes the error for an edit that does not fit the stored content.
fn refusal(edit: &Edit, why: &Refused) -> Error {
    match why {
        Refused::Nothing => Error::invalid("replace.old", "is empty; name the text to replace"),
        Refused::Absent => Error::conflict("replace.old", "was not found in the content; read the content again"),
        Refused::Several(lines) => {
            let told: Vec<String> = lines.iter().take(10).map(ToString::to_string).collect();
            let (count, told) = (lines.len(), told.join(", "));
            Error::conflict(
                "replace.old",
                format!("occurs {count} times in the content, in lines {told}; include more text to make it unique"),
            )
        }
        Refused::NoSuchLine(lines) => {
            let asked = if let Edit::Insert { line, .. } = edit { *line } else { 0 };
            Error::conflict(
                "insert.line",
                format!("is {asked}; the content has {lines} lines, so 0 to {lines} are allowed"),
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_that_everybody_computes() {
        assert_eq!(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert!(is_sha256(&sha256("")) && !is_sha256(&sha256("").to_uppercase()) && !is_sha256("ab"));
    }

    #[test]
    fn a_refused_edit_says_how_often_the_text_occurs() {
        let edit = Edit::Replace { old: "a".to_owned(), new: String::new() };
        let why = edit.apply(&"a\n".repeat(12)).unwrap_err();
        let told = refusal(&edit, &why).to_string();
        assert!(told.contains("occurs 12 times") && told.contains("in lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10;"), "{told}");
    }
}
