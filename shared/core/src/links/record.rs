//! A link and its table.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::Direction;
use crate::error::{Error, Result};
use crate::ids::MemoryId;
use crate::memory::{SourceType, names};
use crate::tables::{Cells, Column, Row, RowQuery, Table, TableRow};
use crate::time::Timestamp;

/// What a record is to another. Names are stored and published: they never change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    /// It was made of the other.
    DerivedFrom,
    /// It holds in the place of the other.
    Supersedes,
    /// Not both can hold.
    Contradicts,
    /// It is a part of the other.
    PartOf,
    /// It says in short what the other says.
    Summarizes,
    /// It names the other.
    Mentions,
    /// They have to do with each other.
    RelatedTo,
    /// It points to the other.
    References,
    /// They say nearly the same.
    SimilarTo,
    /// It came before the other.
    Precedes,
    /// The other wrote it.
    AuthoredBy,
}
names!(Relation {
    DerivedFrom => "derived_from",
    Supersedes => "supersedes",
    Contradicts => "contradicts",
    PartOf => "part_of",
    Summarizes => "summarizes",
    Mentions => "mentions",
    RelatedTo => "related_to",
    References => "references",
    SimilarTo => "similar_to",
    Precedes => "precedes",
    AuthoredBy => "authored_by",
});

impl Relation {
    /// Those by which a record rests on another: what lineage follows.
    pub const PROVENANCE: &'static [Self] = &[Self::DerivedFrom, Self::Supersedes, Self::Summarizes];
}

/// What names a link: from where, what that is to the other, and the other.
pub type LinkKey = (MemoryId, Relation, MemoryId);

/// A link.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// The record that it leads from,
    pub from: MemoryId,
    /// what that is to the other one,
    pub relation: Relation,
    /// and the other one. The three are its key.
    pub to: MemoryId,
    /// How strong it is, 0 to 1.
    pub weight: f64,
    /// How sure it is, 0 to 1.
    pub confidence: f64,
    /// How it came to be known.
    pub source: SourceType,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last written over.
    pub verified_at: Option<Timestamp>,
    /// A quote or a reason.
    pub evidence: Option<String>,
    /// The bytes of the other one's content that say it, where extraction found them.
    pub span: Option<Range<u32>>,
}

impl Link {
    /// What names it.
    pub const fn key(&self) -> LinkKey {
        (self.from, self.relation, self.to)
    }

    /// Refuses one that leads to where it begins; the error names a field below `path`.
    pub fn leads_elsewhere(&self, path: &str) -> Result<()> {
        if self.from == self.to {
            let problem = "is the memory that it leads from; a link leads to another one";
            return Err(Error::invalid(format!("{path}.to_id"), problem));
        }
        Ok(())
    }

    /// A query for the link of this name.
    pub fn named((from, relation, to): LinkKey) -> RowQuery {
        Self::query().is("from_id", from).is("relation", relation.name()).is("to_id", to)
    }

    /// A query for the links of memories that lead some way.
    pub fn of(ids: impl IntoIterator<Item = MemoryId>, direction: Direction) -> RowQuery {
        let columns: &[&'static str] = match direction {
            Direction::Out => &["from_id"],
            Direction::In => &["to_id"],
            Direction::Both => &["from_id", "to_id"],
        };
        Self::query().among(columns, ids)
    }
}

/// Both ends, or nothing.
fn span(start: Option<i64>, end: Option<i64>) -> Option<Range<u32>> {
    Some(u32::try_from(start?).ok()?..u32::try_from(end?).ok()?)
}

impl TableRow for Link {
    const TABLE: &'static Table = &Table {
        name: "links",
        keys: 3,
        columns: &[
            Column::memory("from_id"),
            Column::text("relation"),
            Column::memory("to_id"),
            Column::real("weight"),
            Column::real("confidence"),
            Column::text("source"),
            Column::int("created_at"),
            Column::int("verified_at").or_null(),
            Column::words("evidence", "links.evidence").or_null(),
            Column::int("start_byte").or_null(),
            Column::int("end_byte").or_null(),
        ],
        indices: &[],
    };

    fn to_row(&self) -> Row {
        vec![
            self.from.into(),
            self.relation.name().into(),
            self.to.into(),
            self.weight.into(),
            self.confidence.into(),
            self.source.name().into(),
            self.created_at.into(),
            self.verified_at.into(),
            self.evidence.as_deref().into(),
            self.span.as_ref().map(|span| i64::from(span.start)).into(),
            self.span.as_ref().map(|span| i64::from(span.end)).into(),
        ]
    }

    fn from_row(c: &mut Cells) -> Result<Self> {
        Ok(Self {
            from: c.memory()?,
            relation: c.named(Relation::from_name)?,
            to: c.memory()?,
            weight: c.real()?,
            confidence: c.real()?,
            source: c.named(SourceType::from_name)?,
            created_at: c.time()?,
            verified_at: c.opt_time()?,
            evidence: c.opt_text()?,
            span: span(c.opt_int()?, c.opt_int()?),
        })
    }
}
