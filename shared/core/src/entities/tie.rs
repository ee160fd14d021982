//! Relations between names that records state, and their table. Derived data.

use std::ops::Range;

use super::{EntityRelation, Mention, NameId, mentions_of, relate};
use crate::error::Result;
use crate::ids::MemoryId;
use crate::memory::Memory;
use crate::tables::{Cells, Column, Row, Table, TableRow};
use crate::time::Timestamp;

/// A relation between two names, stated by a record.
#[derive(Clone, Debug, PartialEq)]
pub struct Tie {
    /// The first name.
    pub from: NameId,
    /// The relation of the first to the second.
    pub relation: EntityRelation,
    /// The second name.
    pub to: NameId,
    /// The record.
    pub memory: MemoryId,
    /// The bytes of its content that state it.
    pub span: Range<u32>,
    /// Confidence, 0 to 1.
    pub confidence: f64,
    /// When the event in the record happened.
    pub at: Timestamp,
}

impl Tie {
    /// Returns the relations that a record states; none if nothing may be derived from it.
    pub fn all_of(memory: &Memory) -> Vec<Self> {
        let mentions: Vec<Mention> = mentions_of(memory);
        let tie = |said: relate::Said| {
            let (from, to) = said.relation.ordered(mentions.get(said.from)?.name, mentions.get(said.to)?.name);
            let span = u32::try_from(said.span.start).ok()?..u32::try_from(said.span.end).ok()?;
            (from != to).then(|| Self {
                from,
                relation: said.relation,
                to,
                memory: memory.id,
                span,
                confidence: relate::confidence(&said, &mentions),
                at: memory.occurred_at(),
            })
        };
        let mut all: Vec<Self> = relate::relate(&memory.draft.content, &mentions).into_iter().filter_map(tie).collect();
        all.sort_by_key(Self::key);
        all.dedup_by_key(|tie| tie.key());
        all
    }

    /// The unique key, which also defines the order.
    pub(super) fn key(&self) -> (NameId, EntityRelation, NameId, MemoryId) {
        (self.from, self.relation, self.to, self.memory)
    }
}

impl TableRow for Tie {
    const TABLE: &'static Table = &Table {
        name: "ties",
        keys: 4,
        columns: &[
            Column::id("from_name"),
            Column::text("relation"),
            Column::id("to_name"),
            Column::memory("memory_id"),
            Column::int("start_byte"),
            Column::int("end_byte"),
            Column::real("confidence"),
            Column::int("at"),
        ],
        indices: &[],
    };

    fn to_row(&self) -> Row {
        vec![
            self.from.0.into(),
            self.relation.name().into(),
            self.to.0.into(),
            self.memory.into(),
            i64::from(self.span.start).into(),
            i64::from(self.span.end).into(),
            self.confidence.into(),
            self.at.into(),
        ]
    }

    fn from_row(c: &mut Cells) -> Result<Self> {
        let (from, relation, to) = (NameId(c.id()?), c.named(EntityRelation::from_name)?, NameId(c.id()?));
        let memory = c.memory()?;
        let byte = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
        Ok(Self {
            from,
            relation,
            to,
            memory,
            span: byte(c.count()?)..byte(c.count()?),
            confidence: c.real()?,
            at: c.time()?,
        })
    }
}
