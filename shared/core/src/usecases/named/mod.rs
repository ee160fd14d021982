//! Records by name: read one, list names, edit and rename one, go back to a version.

mod edit;
mod get;
mod list;
mod rename;
mod versions;

pub use edit::{EditInput, sha256};
pub use list::{NamesInput, NamesPage};
pub use rename::RenameInput;
pub use versions::{DiffInput, RedactInput, UndoInput};
pub(super) use versions::{add_version, discard};

use super::App;
use super::support::namespace_for;
use crate::error::{Error, FieldViolation, Result};
use crate::memory::{Memory, RecordKind, name_problem};

/// Refuses to edit a document: its content and its passages are made from one text.
fn refuse_document(memory: &Memory) -> Result<()> {
    if memory.draft.kind == RecordKind::Document {
        return Err(Error::conflict("name", "is a document; send its new text with IngestDocument"));
    }
    Ok(())
}

impl App {
    /// Checks the namespace and the name of a record; an error about the name uses `field`.
    pub(super) fn addressed(&self, namespace: &str, field: &str, name: &str) -> Result<(String, String)> {
        let namespace = namespace_for(self.caller.as_deref(), namespace);
        let Some(problem) = name_problem(name) else { return Ok((namespace?, name.to_owned())) };
        let mut violations = if let Err(Error::Invalid(found)) = namespace { found } else { Vec::new() };
        violations.push(FieldViolation::new(field, problem));
        Err(Error::Invalid(violations))
    }
}
