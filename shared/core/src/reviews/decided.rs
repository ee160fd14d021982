//! Decisions of people about items, and their table. A decision is valid while its records stay unchanged, and is
//! deleted with either record that its id names. Whether a promotion waits depends on the links of the new record, not
//! on decisions.

use sha2::{Digest as _, Sha256};

use super::{ReviewChange, ReviewId, ReviewKind};
use crate::error::Result;
use crate::memory::Memory;
use crate::tables::{Cells, Column, Row, RowQuery, Table, TableRow};
use crate::time::Timestamp;

/// The decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decided {
    /// Nothing is done.
    Dismissed,
    /// This change was applied.
    Applied(ReviewChange),
}

const DISMISSED: &str = "dismissed";

impl Decided {
    const fn name(self) -> &'static str {
        match self {
            Self::Dismissed => DISMISSED,
            Self::Applied(change) => change.name(),
        }
    }

    fn from_name(name: &str) -> Option<Self> {
        if name == DISMISSED { Some(Self::Dismissed) } else { ReviewChange::from_name(name).map(Self::Applied) }
    }
}

/// A decision.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// The item.
    pub id: ReviewId,
    /// The decision.
    pub decided: Decided,
    /// When it was decided.
    pub at: Timestamp,
    /// The revisions of its records. With more than two records, the second number is a digest of all but the first.
    pub revisions: (u64, u64),
    /// The end of validity that the ended record had before.
    pub until: Option<Timestamp>,
}

impl Decision {
    /// Creates a decision about records in their present state.
    pub fn about(id: ReviewId, decided: Decided, memories: &[Memory], at: Timestamp) -> Self {
        Self { id, decided, at, revisions: revisions(memories), until: None }
    }

    /// Reports whether it is valid for records in their present state.
    pub fn holds_for(&self, memories: &[Memory]) -> bool {
        self.decided != Decided::Applied(ReviewChange::Promote) && self.revisions == revisions(memories)
    }

    /// Returns a query for the decision about an item.
    pub fn named(id: &ReviewId) -> RowQuery {
        Self::query().is("kind", id.kind.name()).is("memory_id", id.first).is("other_id", id.second)
    }
}

fn revisions(memories: &[Memory]) -> (u64, u64) {
    let of = |memory: Option<&Memory>| memory.map_or(0, |memory| memory.revision);
    match memories {
        [first, rest @ ..] if rest.len() > 1 => (first.revision, digest(rest)),
        _ => (of(memories.first()), of(memories.last())),
    }
}

/// Returns a digest that changes if one of the records changes, joins or leaves. A row holds 63 bits.
fn digest(memories: &[Memory]) -> u64 {
    let mut hasher = Sha256::new();
    for memory in memories {
        hasher.update(memory.id.0.as_bytes());
        hasher.update(memory.revision.to_le_bytes());
    }
    let all: [u8; 32] = hasher.finalize().into();
    all.first_chunk().map_or(0, |bytes| u64::from_be_bytes(*bytes)) >> 1
}

impl TableRow for Decision {
    const TABLE: &'static Table = &Table {
        name: "review_decisions",
        keys: 3,
        columns: &[
            Column::text("kind"),
            Column::memory("memory_id"),
            Column::memory("other_id"),
            Column::text("decided"),
            Column::int("at"),
            Column::int("revision"),
            Column::int("other_revision"),
            Column::int("until").or_null(),
        ],
        indices: &[],
    };

    fn to_row(&self) -> Row {
        let number = |revision: u64| i64::try_from(revision).unwrap_or(i64::MAX);
        vec![
            self.id.kind.name().into(),
            self.id.first.into(),
            self.id.second.into(),
            self.decided.name().into(),
            self.at.into(),
            number(self.revisions.0).into(),
            number(self.revisions.1).into(),
            self.until.into(),
        ]
    }

    fn from_row(c: &mut Cells) -> Result<Self> {
        Ok(Self {
            id: ReviewId { kind: c.named(ReviewKind::from_name)?, first: c.memory()?, second: c.memory()? },
            decided: c.named(Decided::from_name)?,
            at: c.time()?,
            revisions: (c.count()?, c.count()?),
            until: c.opt_time()?,
        })
    }
}
