//! What a record claims something about, by digest, and its table. Derived.

use std::collections::BTreeMap;

use uuid::Uuid;

use super::claim::{Claim, Says};
use super::read::claims;
use crate::entities::NameId;
use crate::error::Result;
use crate::ids::MemoryId;
use crate::memory::Memory;
use crate::tables::{Cells, Column, Row, Table, TableRow};

/// That a record claims something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ClaimRow {
    /// The record.
    pub memory: MemoryId,
    /// About what: subject and predicate within a namespace.
    pub about: Uuid,
    /// In which way.
    role: i64,
}

impl ClaimRow {
    /// What a record claims; nothing if nothing may be derived from it.
    pub fn all_of(memory: &Memory) -> Vec<Self> {
        let row = |Claim { key, says }: Claim| Self {
            memory: memory.id,
            about: NameId::of(&memory.draft.namespace, &format!("claim {key}")).0,
            role: says.role(),
        };
        let mut rows: Vec<Self> = claims(memory).into_iter().map(row).collect();
        rows.sort_unstable();
        rows.dedup();
        rows
    }

    /// Records that claim something about the same so that two of them may exclude each other, in a fixed order.
    pub fn groups(mut rows: Vec<Self>) -> Vec<Vec<MemoryId>> {
        rows.sort_unstable();
        rows.dedup();
        let mut about: BTreeMap<Uuid, Vec<Self>> = BTreeMap::new();
        for row in rows {
            about.entry(row.about).or_default().push(row);
        }
        let clash = |one: &Self, two: &Self| one.memory != two.memory && Says::may_exclude(one.role, two.role);
        about.retain(|_, group| group.iter().any(|one| group.iter().any(|two| clash(one, two))));
        about.into_values().map(|group| group.into_iter().map(|row| row.memory).collect()).collect()
    }
}

impl TableRow for ClaimRow {
    const TABLE: &'static Table = &Table {
        name: "claims",
        keys: 3,
        columns: &[Column::memory("memory_id"), Column::id("about"), Column::int("role")],
        indices: &[],
    };

    fn to_row(&self) -> Row {
        vec![self.memory.into(), self.about.into(), self.role.into()]
    }

    fn from_row(c: &mut Cells) -> Result<Self> {
        Ok(Self { memory: c.memory()?, about: c.id()?, role: c.int()? })
    }
}
