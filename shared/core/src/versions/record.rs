//! Versions and their table.

use crate::bounds::{MAX_VERSIONS, MAX_VERSIONS_BYTES};
use crate::error::Result;
use crate::ids::MemoryId;
use crate::memory::{Detail, Memory};
use crate::tables::{Cells, Column, Row, Table, TableRow};
use crate::time::Timestamp;

/// The state of a record before a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    /// The record's id.
    pub memory: MemoryId,
    /// The record's revision in this state. Both fields are the key.
    pub number: u64,
    /// When this state was written.
    pub written_at: Timestamp,
    /// When it was replaced.
    pub changed_at: Timestamp,
    /// The action that changed it, as named in the audit.
    pub action: String,
    /// The name of the credential that changed it; empty if there was none.
    pub author: String,
    /// The caller's reason for the change.
    pub reason: Option<String>,
    /// When its content and detail were redacted.
    pub redacted_at: Option<Timestamp>,
    /// Size of content and detail, in bytes.
    pub bytes: u64,
    /// The content; `None` if redacted or not read.
    pub content: Option<String>,
    /// The detail as JSON, if it had one.
    pub detail: Option<String>,
}

impl Version {
    /// The columns that contain texts.
    pub const TEXTS: &'static [&'static str] = &["content", "detail"];

    /// Records the current state of a record as the version that a change creates.
    pub fn of(memory: &Memory, (action, author): (&str, &str), reason: Option<String>, now: Timestamp) -> Self {
        let detail = memory.draft.detail.as_ref().map(Detail::to_json);
        Self {
            memory: memory.id,
            number: memory.revision,
            written_at: memory.updated_at,
            changed_at: now,
            action: action.to_owned(),
            author: author.to_owned(),
            reason,
            redacted_at: None,
            bytes: (memory.draft.content.len() + detail.as_ref().map_or(0, String::len)) as u64,
            content: Some(memory.draft.content.clone()),
            detail,
        }
    }

    /// Returns the version without its texts.
    #[must_use]
    pub fn redacted(self, now: Timestamp) -> Self {
        Self { redacted_at: Some(now), bytes: 0, content: None, detail: None, reason: None, ..self }
    }
}

/// The versions beyond the limits of number and size, given newest first; never the newest.
pub fn surplus(versions: &[Version]) -> &[Version] {
    let mut bytes = 0;
    let fits = |(index, version): (usize, &Version)| {
        bytes += version.bytes;
        index == 0 || (index < MAX_VERSIONS && bytes <= MAX_VERSIONS_BYTES)
    };
    let kept = versions.iter().enumerate().map(fits).take_while(|fits| *fits).count();
    versions.get(kept..).unwrap_or_default()
}

impl TableRow for Version {
    const TABLE: &'static Table = &Table {
        name: "versions",
        keys: 2,
        columns: &[
            Column::memory("memory_id"),
            Column::int("number"),
            Column::int("written_at"),
            Column::int("changed_at"),
            Column::text("action"),
            Column::text("author"),
            Column::int("redacted_at").or_null(),
            Column::int("bytes"),
            Column::words("reason", "versions.reason").or_null(),
            Column::words("content", "versions.content").or_null(),
            Column::words("detail", "versions.detail").or_null(),
        ],
        indices: &[],
    };

    fn to_row(&self) -> Row {
        vec![
            self.memory.into(),
            self.number.into(),
            self.written_at.into(),
            self.changed_at.into(),
            self.action.as_str().into(),
            self.author.as_str().into(),
            self.redacted_at.into(),
            self.bytes.into(),
            self.reason.as_deref().into(),
            self.content.as_deref().into(),
            self.detail.as_deref().into(),
        ]
    }

    fn from_row(c: &mut Cells) -> Result<Self> {
        Ok(Self {
            memory: c.memory()?,
            number: c.count()?,
            written_at: c.time()?,
            changed_at: c.time()?,
            action: c.text()?,
            author: c.text()?,
            redacted_at: c.opt_time()?,
            bytes: c.count()?,
            reason: c.opt_text()?,
            content: c.opt_text()?,
            detail: c.opt_text()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn versions(bytes: impl IntoIterator<Item = u64>) -> Vec<Version> {
        let version = |(number, bytes)| Version {
            memory: MemoryId(uuid::Uuid::nil()),
            number,
            written_at: Timestamp(0),
            changed_at: Timestamp(1),
            action: "memory.edit".to_owned(),
            author: String::new(),
            reason: None,
            redacted_at: None,
            bytes,
            content: Some("x".to_owned()),
            detail: None,
        };
        (1..).zip(bytes).map(version).collect()
    }

    #[test]
    fn the_newest_are_retained_within_a_bound_on_number_and_bytes() {
        let most = MAX_VERSIONS_BYTES;
        for (bytes, surplus_of) in [
            (vec![], 0),
            (vec![1; MAX_VERSIONS], 0),
            (vec![1; MAX_VERSIONS + 3], 3),
            (vec![most, 0], 0),
            (vec![most, 1], 1),
            (vec![most + 1, 0, 0], 2),
        ] {
            assert_eq!(surplus(&versions(bytes.clone())).len(), surplus_of, "{bytes:?}");
        }
    }

    #[test]
    fn a_redacted_version_holds_no_text() {
        let redacted = versions([7]).remove(0).redacted(Timestamp(9));
        assert_eq!((redacted.bytes, &redacted.content, &redacted.detail, &redacted.reason), (0, &None, &None, &None));
        assert_eq!(redacted.redacted_at, Some(Timestamp(9)));
    }
}
