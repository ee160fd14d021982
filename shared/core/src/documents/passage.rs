//! A passage of a document, and its table.

use std::ops::Range;

use crate::error::Result;
use crate::ids::MemoryId;
use crate::memory::MemoryFilter;
use crate::tables::{Cells, Column, Condition, Row, RowQuery, Table, TableRow};
use crate::time::Timestamp;

/// A passage of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage {
    /// The document.
    pub document: MemoryId,
    /// Which of its passages, from 0.
    pub position: u64,
    /// When it was read from the original; of the first one, when any was last.
    pub read_at: Timestamp,
    /// Where it stands, in bytes of the document's text.
    pub span: Range<u64>,
    /// What it says; empty where that was not asked for.
    pub text: String,
}

impl Passage {
    /// The first passages of documents that pass a filter, without their texts: which documents there are, and when each was read.
    pub fn firsts(filter: &MemoryFilter) -> RowQuery {
        RowQuery { memories: filter.clone(), ..Self::query() }.is("position", 0_i64).without(&["text"])
    }

    /// The passages of a document from a position on, in order.
    pub fn from(document: MemoryId, position: u64) -> RowQuery {
        Self::query().is("memory_id", document).that(Condition::From("position", position.into()))
    }

    /// Some of its passages.
    pub fn at(document: MemoryId, positions: impl IntoIterator<Item = u64>) -> RowQuery {
        Self::query().is("memory_id", document).among(&["position"], positions)
    }
}

impl TableRow for Passage {
    const TABLE: &'static Table = &Table {
        name: "passages",
        keys: 2,
        columns: &[
            Column::memory("memory_id"),
            Column::int("position"),
            Column::int("read_at"),
            Column::int("start_byte"),
            Column::int("end_byte"),
            Column::words("text", "passages.text").or_null(),
        ],
        indices: &[&["position"]],
    };

    fn to_row(&self) -> Row {
        vec![
            self.document.into(),
            self.position.into(),
            self.read_at.into(),
            self.span.start.into(),
            self.span.end.into(),
            self.text.as_str().into(),
        ]
    }

    fn from_row(c: &mut Cells) -> Result<Self> {
        Ok(Self {
            document: c.memory()?,
            position: c.count()?,
            read_at: c.time()?,
            span: c.count()?..c.count()?,
            text: c.opt_text()?.unwrap_or_default(),
        })
    }
}
