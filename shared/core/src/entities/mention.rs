//! Mentions of names in records, and their table.

use std::ops::Range;

use uuid::Uuid;

use super::{EntityType, NameId};
use crate::error::Result;
use crate::ids::MemoryId;
use crate::tables::{Cells, Column, Row, Table, TableRow};
use crate::time::Timestamp;

/// The position of a mention in a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MentionPosition {
    /// In the content, at these bytes.
    Content(Range<u32>),
    /// The record's speaker.
    Speaker,
    /// The record's subject.
    Subject,
}

impl MentionPosition {
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

    /// The bytes of the content; `None` for speaker and subject.
    pub fn span(&self) -> Option<Range<u32>> {
        match self {
            Self::Content(span) => Some(span.clone()),
            Self::Speaker | Self::Subject => None,
        }
    }
}

/// A mention of a name in a record. Derived data.
#[derive(Clone, Debug, PartialEq)]
pub struct Mention {
    /// The name, within its namespace.
    pub name: NameId,
    /// The record.
    pub memory: MemoryId,
    /// The position in the record.
    pub position: MentionPosition,
    /// Digest of the record's namespace.
    pub space: Uuid,
    /// Number of the sentence; -1 outside the content.
    pub sentence: i64,
    /// The likely type.
    pub kind: EntityType,
    /// Confidence of the type and of being a name, 0 to 1.
    pub confidence: f64,
    /// When the event in the record happened.
    pub at: Timestamp,
    /// Whether the record is knowledge, such as a fact or a preference.
    pub stated: bool,
    /// The name as written.
    pub surface: String,
}

impl Mention {
    /// The unique key, which also defines the order.
    pub(super) fn key(&self) -> (NameId, MemoryId, (i64, i64)) {
        (self.name, self.memory, self.position.to_cells())
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
        let (start, end) = self.position.to_cells();
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
            position: MentionPosition::from_cells(c.int()?, c.int()?),
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
