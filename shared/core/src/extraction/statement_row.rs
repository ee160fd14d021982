//! Digests of the statements of extracted records: finds repeated statements without reading texts. Derived data.

use uuid::Uuid;

use super::candidate::Candidate;
use crate::context::{Digest, Fingerprints};
use crate::error::Result;
use crate::ids::{ConsentId, MemoryId};
use crate::memory::Memory;
use crate::tables::{Cells, Column, Row, RowQuery, Table, TableRow};
use crate::text::words::{fold, words};

/// A statement of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatementRow {
    /// Digest of the statement, or of a slot that holds one true statement at a time.
    pub digest: Digest,
    /// The record.
    pub memory: MemoryId,
}

/// The properties that equal statements must share: those that derived records inherit from their sources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Domain {
    namespace: String,
    consent_id: Option<ConsentId>,
    sensitive: bool,
}

impl Domain {
    /// Returns a record's domain.
    pub fn of(memory: &Memory) -> Self {
        let draft = &memory.draft;
        let (namespace, sensitive) = (draft.namespace.clone(), draft.metadata.sensitive);
        Self { namespace, consent_id: draft.consent_id, sensitive }
    }

    /// The namespace.
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// Digest of a candidate's statement: its words without punctuation.
    pub fn statement(&self, prints: &Fingerprints, candidate: &Candidate) -> Digest {
        let said: Vec<String> = words(&candidate.content).map(fold).collect();
        self.digest(prints, "statement", &said.join(" "))
    }

    /// Digest of the candidate's slot, if it fills one.
    pub fn slot(&self, prints: &Fingerprints, candidate: &Candidate) -> Option<Digest> {
        candidate.exclusive.as_deref().map(|slot| self.digest(prints, "slot", slot))
    }

    fn digest(&self, prints: &Fingerprints, what: &str, text: &str) -> Digest {
        let consent = self.consent_id.map_or_else(String::new, |id| id.to_string());
        let sensitive = if self.sensitive { "sensitive" } else { "plain" };
        prints.of_parts(&[what, &self.namespace, &consent, sensitive, text])
    }
}

impl StatementRow {
    /// Queries the records with a statement.
    pub fn stating(digest: Digest) -> RowQuery {
        Self::query().is("digest", Uuid::from_bytes(digest))
    }
}

impl TableRow for StatementRow {
    const TABLE: &'static Table = &Table {
        name: "statements",
        keys: 2,
        columns: &[Column::id("digest"), Column::memory("memory_id")],
        indices: &[],
    };

    fn to_row(&self) -> Row {
        vec![Uuid::from_bytes(self.digest).into(), self.memory.into()]
    }

    fn from_row(c: &mut Cells) -> Result<Self> {
        Ok(Self { digest: c.id()?.into_bytes(), memory: c.memory()? })
    }
}
