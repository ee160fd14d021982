//! Attachments imported from an export.

use std::collections::HashSet;

use super::{AttachmentDraft, AttachmentLimits};
use crate::bounds::{CLOCK_SKEW, MAX_MEMORIES_PER_ATTACHMENT};
use crate::consent::MAX_PRINCIPAL_BYTES;
use crate::error::{Error, FieldViolation, Result};
use crate::ids::{AttachmentId, MemoryId};
use crate::memory::label_problem;
use crate::time::Timestamp;

/// Prefixes of the fields that an uploader states and of those that were exported.
const OF_UPLOAD: &str = "start.";
const OF_RECORD: &str = "start.attachment.";

/// An attachment as exported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttachmentRecord {
    /// Id of the attachment.
    pub id: AttachmentId,
    /// Name, type, hash and size; the last two are set.
    pub draft: AttachmentDraft,
    /// The original uploader's name.
    pub uploader: String,
    /// Time of the upload.
    pub created_at: Timestamp,
    /// The memories it was attached to, 1-[`MAX_MEMORIES_PER_ATTACHMENT`].
    pub memories: Vec<MemoryId>,
}

impl AttachmentRecord {
    /// Normalizes and checks the record: nothing that a caller sends is trusted, even if Kimberly once wrote it.
    pub fn checked(mut self, limits: &AttachmentLimits, now: Timestamp) -> Result<Self> {
        let mut violations = Vec::new();
        match std::mem::take(&mut self.draft).normalized(limits).map_err(of_record) {
            Ok(draft) => self.draft = draft,
            Err(Error::Invalid(found)) => violations = found,
            Err(other) => return Err(other),
        }
        let mut bad =
            |field: &str, problem: String| violations.push(FieldViolation::new(format!("{OF_RECORD}{field}"), problem));
        if self.id.0.get_version_num() != 7 {
            bad("id", "is not a UUID version 7, as Kimberly creates them".to_owned());
        }
        if let Some(problem) = label_problem(&self.uploader, MAX_PRINCIPAL_BYTES) {
            bad("uploaded_by", problem);
        }
        if self.created_at > now.plus(CLOCK_SKEW) {
            bad("created_at", "is in the future; check the clocks of both machines".to_owned());
        }
        let count = self.memories.len();
        if !(1..=MAX_MEMORIES_PER_ATTACHMENT).contains(&count) {
            bad("memory_ids", format!("has {count} entries; 1-{MAX_MEMORIES_PER_ATTACHMENT} are allowed"));
        }
        if self.memories.iter().collect::<HashSet<_>>().len() < count {
            bad("memory_ids", "names a memory twice".to_owned());
        }
        if violations.is_empty() { Ok(self) } else { Err(Error::Invalid(violations)) }
    }
}

/// Rewrites the field names of an upload's errors for the request of an import.
pub(crate) fn of_record(error: Error) -> Error {
    let Error::Invalid(mut violations) = error else { return error };
    for violation in &mut violations {
        if let Some(field) = violation.field.strip_prefix(OF_UPLOAD).filter(|_| !violation.field.starts_with(OF_RECORD))
        {
            violation.field = format!("{OF_RECORD}{field}");
        }
    }
    Error::Invalid(violations)
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::error::refused_fields;
    use crate::time::Span;

    const NOW: Timestamp = Timestamp(1_790_000_000_000_000);

    fn record() -> AttachmentRecord {
        AttachmentRecord {
            id: AttachmentId(Uuid::parse_str("01920000-0000-7000-8000-000000000001").unwrap()),
            draft: AttachmentDraft {
                name: "menu".to_owned(),
                media_type: "text/plain".to_owned(),
                sha256: Some([1; 32]),
                size_bytes: Some(3),
            },
            uploader: "key:phone".to_owned(),
            created_at: NOW,
            memories: vec![MemoryId(Uuid::from_u128(1))],
        }
    }

    fn fields(record: AttachmentRecord) -> Vec<String> {
        refused_fields(record.checked(&AttachmentLimits::default(), NOW))
    }

    #[test]
    fn what_comes_back_is_held_to_its_bounds() {
        assert_eq!(record().checked(&AttachmentLimits::default(), NOW).unwrap(), record());
        let draft = AttachmentDraft { media_type: "text".to_owned(), ..record().draft };
        let wrong = AttachmentRecord {
            id: AttachmentId(Uuid::from_u128(4)),
            draft,
            uploader: String::new(),
            created_at: NOW.plus(CLOCK_SKEW).plus(Span(1)),
            memories: Vec::new(),
        };
        let all = ["media_type", "id", "uploaded_by", "created_at", "memory_ids"];
        assert_eq!(fields(wrong), all.map(|field| format!("start.attachment.{field}")));
        let twice = AttachmentRecord { memories: vec![MemoryId(Uuid::from_u128(1)); 2], ..record() };
        assert_eq!(fields(twice), ["start.attachment.memory_ids"]);
        let many = (0..=MAX_MEMORIES_PER_ATTACHMENT as u128).map(|n| MemoryId(Uuid::from_u128(n))).collect();
        assert_eq!(fields(AttachmentRecord { memories: many, ..record() }), ["start.attachment.memory_ids"]);
        let large = AttachmentDraft { size_bytes: Some(u64::MAX), ..record().draft };
        assert_eq!(fields(AttachmentRecord { draft: large, ..record() })[0], "start.attachment.size_bytes");
    }

    #[test]
    fn fields_are_named_where_they_stand_once() {
        let told = of_record(of_record(Error::invalid("start.size_bytes", "is 1")));
        assert!(matches!(told, Error::Invalid(found) if found[0].field == "start.attachment.size_bytes"));
        let piece = of_record(Error::invalid("piece", "is too long"));
        assert!(matches!(piece, Error::Invalid(found) if found[0].field == "piece"));
    }
}
