//! A person's rulings about names, and their table. Not derived: rulings survive when derived data is rebuilt. A row
//! is stored for several records that contain the name, so that a ruling is erased with the last of them and hidden
//! when all are.

use crate::error::Result;
use crate::ids::MemoryId;
use crate::memory::names;
use crate::tables::{Cells, Column, Row, RowQuery, Table, TableRow};
use crate::time::Timestamp;

use super::NameId;

/// The kind of a ruling. Names are stored: they never change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ruled {
    /// Two names mean the same.
    Same,
    /// Two names do not mean the same.
    Apart,
    /// The name is not an entity.
    Dismissed,
    /// The entity has another name.
    Called,
}
names!(Ruled { Same => "same", Apart => "apart", Dismissed => "dismissed", Called => "called" });

/// A ruling, attached to one record.
#[derive(Clone, Debug, PartialEq)]
pub struct Ruling {
    /// Kind of the ruling.
    pub ruled: Ruled,
    /// The name concerned.
    pub name: NameId,
    /// The second name; the same as `name` if only one is concerned.
    pub other: NameId,
    /// A record that contains one of the names.
    pub memory: MemoryId,
    /// Time of the ruling.
    pub at: Timestamp,
    /// The name a person chose.
    pub called: Option<String>,
}

impl Ruling {
    /// Queries a ruling about two names, attached to any record.
    pub fn about(ruled: Ruled, name: NameId, other: NameId) -> RowQuery {
        Self::query().is("ruled", ruled.name()).is("name_id", name.0).is("other_id", other.0)
    }
}

impl TableRow for Ruling {
    const TABLE: &'static Table = &Table {
        name: "rulings",
        keys: 4,
        columns: &[
            Column::text("ruled"),
            Column::id("name_id"),
            Column::id("other_id"),
            Column::memory("memory_id"),
            Column::int("at"),
            Column::words("called", "rulings.called").or_null(),
        ],
        indices: &[],
    };

    fn to_row(&self) -> Row {
        vec![
            self.ruled.name().into(),
            self.name.0.into(),
            self.other.0.into(),
            self.memory.into(),
            self.at.into(),
            self.called.as_deref().into(),
        ]
    }

    fn from_row(c: &mut Cells) -> Result<Self> {
        Ok(Self {
            ruled: c.named(Ruled::from_name)?,
            name: NameId(c.id()?),
            other: NameId(c.id()?),
            memory: c.memory()?,
            at: c.time()?,
            called: c.opt_text()?,
        })
    }
}
