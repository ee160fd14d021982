//! The table of what a deletion took besides the deleted memory, so that restoring brings all back. Rows belong to both
//! memories: they are erased with either, so that no original outlives the grace of the deleted one.

use uuid::Uuid;

use crate::error::Result;
use crate::ids::MemoryId;
use crate::tables::{Cells, Column, Row, RowQuery, Table, TableRow};
use crate::time::Timestamp;

/// The start of a copy that was deleted as a whole.
const WHOLE: i64 = -1;

/// What a deletion took from another memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Struck {
    /// The memory whose deletion caused it.
    pub cause: MemoryId,
    /// The memory from which it was taken.
    pub memory: MemoryId,
    /// What was taken.
    pub was: Was,
    /// When it was taken.
    pub at: Timestamp,
}

/// What was taken from a memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Was {
    /// All of it: it is deleted.
    Whole,
    /// A text, replaced by filler.
    Text {
        /// Where it starts in the content, in bytes.
        start: usize,
        /// The text.
        text: String,
    },
    /// The quote of a link to a source, which was emptied.
    Quote {
        /// The source.
        of: MemoryId,
        /// The quote.
        text: String,
    },
}

impl Struck {
    /// Queries this row.
    pub fn named(&self) -> RowQuery {
        let (source, start, _) = self.key_and_text();
        let query = Self::query().is("cause", self.cause).is("memory_id", self.memory);
        query.is("source", source.0).is("start_byte", start)
    }

    fn key_and_text(&self) -> (MemoryId, i64, Option<&str>) {
        match &self.was {
            Was::Whole => (self.memory, WHOLE, None),
            Was::Text { start, text } => (self.memory, i64::try_from(*start).unwrap_or(i64::MAX), Some(text)),
            Was::Quote { of, text } => (*of, 0, Some(text)),
        }
    }
}

impl TableRow for Struck {
    const TABLE: &'static Table = &Table {
        name: "struck",
        keys: 4,
        columns: &[
            Column::memory("cause"),
            Column::memory("memory_id"),
            Column::id("source"),
            Column::int("start_byte"),
            Column::int("at"),
            Column::words("text", "struck.text").or_null(),
        ],
        indices: &[],
    };

    fn to_row(&self) -> Row {
        let (source, start, text) = self.key_and_text();
        vec![self.cause.into(), self.memory.into(), source.0.into(), start.into(), self.at.into(), text.into()]
    }

    fn from_row(c: &mut Cells) -> Result<Self> {
        let (cause, memory, source): (MemoryId, MemoryId, Uuid) = (c.memory()?, c.memory()?, c.id()?);
        let (start, at, text) = (c.int()?, c.time()?, c.opt_text()?);
        let was = match (usize::try_from(start), text) {
            (Ok(_), Some(text)) if source != memory.0 => Was::Quote { of: MemoryId(source), text },
            (Ok(start), Some(text)) => Was::Text { start, text },
            _ => Was::Whole,
        };
        Ok(Self { cause, memory, was, at })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_say_what_was_taken() {
        let id = |n| MemoryId(Uuid::from_u128(n));
        let text = "I live in Oslo".to_owned();
        for was in [Was::Whole, Was::Text { start: 0, text: text.clone() }, Was::Quote { of: id(3), text }] {
            let struck = Struck { cause: id(1), memory: id(2), was, at: Timestamp(7) };
            assert_eq!(Struck::from_row(&mut Cells::new(struck.to_row())).expect("a row"), struck);
        }
    }
}
