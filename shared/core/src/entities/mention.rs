//! That a record names something, and its table.

use std::ops::Range;

use uuid::Uuid;

use super::{EntityType, NameId};
use crate::error::Result;
use crate::ids::MemoryId;
use crate::tables::{Cells, Column, Row, Table, TableRow};
use crate::time::Timestamp;

/// Where a record names something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// In its content, at these bytes.
    Content(Range<u32>),
    /// It is who said it.
    Speaker,
    /// It is whom or what it is about.
    Subject,
}

impl Place {
    fn to_cells(&self) -> (i64, i64) {
        match self {
            Self::Content(span) => (span.start.into(), span.end.into()),
            Self::Speaker => (-1, 0),
            Self::Subject => (-2, 0),
        }
    }

    fn from_cells(start: i64, end: i64) -> Self {
        match (start, u32::try_from(start).ok().zip(u32::try_from(end).ok())) {
            (_, Some((start, end))) => Self::Content(start..end),
            (-1, _) => Self::Speaker,
            _ => Self::Subject,
        }
    }

    /// The bytes of the content.
    pub fn span(&self) -> Option<Range<u32>> {
        match self {
            Self::Content(span) => Some(span.clone()),
            Self::Speaker | Self::Subject => None,
        }
    }
}

/// That a record names something. Derived.
#[derive(Clone, Debug, PartialEq)]
pub struct Mention {
    /// The name, within its namespace.
    pub name: NameId,
    /// The record.
    pub memory: MemoryId,
    /// Where.
    pub place: Place,
    /// Stands for the namespace of the record.
    pub space: Uuid,
    /// The number of the sentence.
    pub sentence: i64,
    /// What it seems to be.
    pub kind: EntityType,
    /// How sure that is.
    pub confidence: f64,
    /// When what the record tells happened.
    pub at: Timestamp,
    /// Whether the record states what is known, as facts and preferences do.
    pub stated: bool,
    /// The name as it is written.
    pub surface: String,
}

impl Mention {
    /// What tells it from all others, by which they are ordered.
    pub(super) fn key(&self) -> (NameId, MemoryId, (i64, i64)) {
        (self.name, self.memory, self.place.to_cells())
    }
}

impl TableRow for Mention {
    const TABLE: &'static Table = &Table {
        name: "mentions",
        keys: 3,
        columns: &[
            Column::id("name_id"),
            Column::memory("memory_id"),
            Column::int("start_byte"),
            Column::int("end_byte"),
            Column::id("space"),
            Column::int("sentence"),
            Column::text("type"),
            Column::real("confidence"),
            Column::int("at"),
            Column::int("stated"),
            Column::words("surface", "mentions.surface"),
        ],
        indices: &[],
    };

    fn to_row(&self) -> Row {
        let (start, end) = self.place.to_cells();
        vec![
            self.name.0.into(),
            self.memory.into(),
            start.into(),
            end.into(),
            self.space.into(),
            self.sentence.into(),
            self.kind.name().into(),
            self.confidence.into(),
            self.at.into(),
            self.stated.into(),
            self.surface.as_str().into(),
        ]
    }

    fn from_row(c: &mut Cells) -> Result<Self> {
        let (name, memory) = (NameId(c.id()?), c.memory()?);
        Ok(Self {
            name,
            memory,
            place: Place::from_cells(c.int()?, c.int()?),
            space: c.id()?,
            sentence: c.int()?,
            kind: c.named(EntityType::from_name)?,
            confidence: c.real()?,
            at: c.time()?,
            stated: c.flag()?,
            surface: c.text()?,
        })
    }
}
