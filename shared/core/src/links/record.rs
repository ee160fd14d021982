//! Links and their table.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::ids::MemoryId;
use crate::memory::{SourceType, names};
use crate::tables::{Cells, Column, Row, RowQuery, Table, TableRow};
use crate::time::Timestamp;

/// The relation of one record to another. Names are stored and published: they never change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    /// It was derived from the other.
    DerivedFrom,
    /// It replaces the other.
    Supersedes,
    /// The two cannot both be true.
    Contradicts,
    /// It is a part of the other.
    PartOf,
    /// It summarizes the other.
    Summarizes,
    /// It mentions the other.
    Mentions,
    /// The two are related.
    RelatedTo,
    /// It points to the other.
    References,
    /// The two say nearly the same.
    SimilarTo,
    /// It came before the other.
    Precedes,
    /// It was written by the other.
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
    /// The relations by which a record depends on another: lineage follows these.
    pub const PROVENANCE: &'static [Self] = &[Self::DerivedFrom, Self::Supersedes, Self::Summarizes];
}

/// The direction in which links are followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Outgoing and incoming links.
    #[default]
    Both,
    /// Outgoing links: what the record depends on.
    Out,
    /// Incoming links: what depends on the record.
    In,
}

/// The key of a link: from, relation, to.
pub type LinkKey = (MemoryId, Relation, MemoryId);

/// A link.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// The record it leads from.
    pub from: MemoryId,
    /// The relation of `from` to `to`.
    pub relation: Relation,
    /// The record it leads to. The three fields are the key.
    pub to: MemoryId,
    /// Strength, 0 to 1.
    pub weight: f64,
    /// Confidence, 0 to 1.
    pub confidence: f64,
    /// How it became known.
    pub source: SourceType,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was last overwritten.
    pub verified_at: Option<Timestamp>,
    /// A quote or a reason.
    pub evidence: Option<String>,
    /// The bytes in the other record's content that state it, if extraction found them.
    pub span: Option<Range<u32>>,
}

impl Link {
    /// Returns the key.
    pub const fn key(&self) -> LinkKey {
        (self.from, self.relation, self.to)
    }

    /// Refuses a link from a record to itself; the error names a field below `path`.
    pub fn leads_elsewhere(&self, path: &str) -> Result<()> {
        if self.from == self.to {
            let problem = "is the same as from_id; a link connects two memories";
            return Err(Error::invalid(format!("{path}.to_id"), problem));
        }
        Ok(())
    }

    /// Queries the link with this key.
    pub fn named((from, relation, to): LinkKey) -> RowQuery {
        Self::query().is("from_id", from).is("relation", relation.name()).is("to_id", to)
    }

    /// Queries the links of memories in a direction.
    pub fn of(ids: impl IntoIterator<Item = MemoryId>, direction: Direction) -> RowQuery {
        let columns: &[&'static str] = match direction {
            Direction::Out => &["from_id"],
            Direction::In => &["to_id"],
            Direction::Both => &["from_id", "to_id"],
        };
        Self::query().among(columns, ids)
    }
}

/// Builds a range; `None` if an end is missing.
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
