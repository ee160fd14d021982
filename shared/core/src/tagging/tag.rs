//! Automatic tags of records, and their table.

use std::collections::HashMap;

use crate::entities::ReadMark;
use crate::error::Result;
use crate::ids::MemoryId;
use crate::meditation::steps::{Step as _, Tag};
use crate::memory::Memory;
use crate::ports::{VaultReader, VaultTransaction};
use crate::tables::{self, Cells, Column, Row, Table, TableRow};

/// An automatic tag of a record. Derived data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AutoTag {
    /// The record.
    pub memory: MemoryId,
    /// The tag, in lower case and without surrounding punctuation.
    pub tag: String,
}

impl TableRow for AutoTag {
    const TABLE: &'static Table = &Table {
        name: "auto_tags",
        keys: 2,
        columns: &[Column::memory("memory_id"), Column::text("tag")],
        indices: &[],
    };

    fn to_row(&self) -> Row {
        vec![self.memory.into(), self.tag.as_str().into()]
    }

    fn from_row(c: &mut Cells) -> Result<Self> {
        Ok(Self { memory: c.memory()?, tag: c.text()? })
    }
}

/// Loads the automatic tags of memories, in alphabetical order.
pub(crate) async fn with_auto_tags(reader: &mut dyn VaultReader, memories: Vec<&mut Memory>) -> Result<()> {
    if memories.is_empty() {
        return Ok(());
    }
    let ids: Vec<MemoryId> = memories.iter().map(|memory| memory.id).collect();
    let rows = tables::find::<AutoTag>(reader, &AutoTag::query().among(&["memory_id"], ids).with_withheld()).await?;
    let mut tags: HashMap<MemoryId, Vec<String>> = HashMap::new();
    for AutoTag { memory, tag } in rows {
        tags.entry(memory).or_default().push(tag);
    }
    for memory in memories {
        memory.auto_tags = tags.remove(&memory.id).unwrap_or_default();
    }
    Ok(())
}

/// Removes the automatic tags of records, so that the next nightly run assigns them again.
pub(crate) async fn forget(tx: &mut dyn VaultTransaction, ids: &[MemoryId]) -> Result<()> {
    let marks = ReadMark::query().is("step", Tag.name());
    for query in [AutoTag::query(), marks] {
        tables::delete(tx, &query.among(&["memory_id"], ids.iter().copied()).with_withheld()).await?;
    }
    Ok(())
}
