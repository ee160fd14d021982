//! What a person decided about a name, and its table. It is data: it stays when everything derived is made again. A row lies
//! under each of some records that hold the name, so that a decision goes with the last of them and is hidden with them all.

use crate::error::Result;
use crate::ids::MemoryId;
use crate::memory::names;
use crate::tables::{Cells, Column, Row, RowQuery, Table, TableRow};
use crate::time::Timestamp;

use super::NameId;

/// What was decided. Names are stored: they never change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ruled {
    /// Two names mean the same.
    Same,
    /// Two names do not.
    Apart,
    /// It is no entity.
    Dismissed,
    /// It is called otherwise.
    Called,
}
names!(Ruled { Same => "same", Apart => "apart", Dismissed => "dismissed", Called => "called" });

/// A decision, under one record.
#[derive(Clone, Debug, PartialEq)]
pub struct Ruling {
    /// What was decided.
    pub ruled: Ruled,
    /// About this name,
    pub name: NameId,
    /// and this one; the same again where it is about one alone.
    pub other: NameId,
    /// A record that holds one of both.
    pub memory: MemoryId,
    /// When.
    pub at: Timestamp,
    /// What it is called.
    pub called: Option<String>,
}

impl Ruling {
    /// A query for a decision about two names, under whichever records.
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
