//! Passages of documents, and their table.

use std::ops::Range;

use crate::error::Result;
use crate::ids::MemoryId;
use crate::memory::MemoryFilter;
use crate::ports::VaultReader;
use crate::tables::{Cells, Column, Condition, Row, RowQuery, Table, TableRow, find};
use crate::time::Timestamp;

/// Passages read per query.
const AT_ONCE: usize = 1_000;

/// A passage of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage {
    /// The document's id.
    pub document: MemoryId,
    /// Index among the document's passages, from 0.
    pub position: u64,
    /// When it was read from the original. On the first passage: when any passage was last read.
    pub read_at: Timestamp,
    /// Its byte range in the document's text.
    pub span: Range<u64>,
    /// Its text; empty if the query left it out.
    pub text: String,
}

impl Passage {
    /// Queries the first passages of documents that match a filter, without texts: which documents exist and when each
    /// was read.
    pub fn firsts(filter: &MemoryFilter) -> RowQuery {
        RowQuery { memories: filter.clone(), ..Self::query() }.is("position", 0_i64).without(&["text"])
    }

    /// Queries the passages of a document from a position on, in order.
    pub fn from(document: MemoryId, position: u64) -> RowQuery {
        Self::query().is("memory_id", document).that(Condition::From("position", position.into()))
    }

    /// Reads all passages of a document in order, page by page.
    pub async fn all(reader: &mut dyn VaultReader, document: MemoryId) -> Result<Vec<Self>> {
        let mut passages = Vec::new();
        loop {
            let query = Self::from(document, passages.len() as u64).at_most(AT_ONCE);
            let page = find::<Self>(reader, &query).await?;
            let is_last = page.len() < AT_ONCE;
            passages.extend(page);
            if is_last {
                return Ok(passages);
            }
        }
    }

    /// Queries some passages of a document.
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
