//! Digests of what a record claims, and their table. Derived data.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use uuid::Uuid;

use super::claim::{Claim, Says};
use super::read::claims;
use crate::entities::NameId;
use crate::error::Result;
use crate::ids::{MemoryId, Seq};
use crate::memory::Memory;
use crate::tables::{Cells, Column, Row, Table, TableRow};

/// Most records compared that claim the same value in the same role.
const ALIKE: usize = 8;
/// Most records compared that claim something about one key in one role: the newest ones.
const ABOUT_THE_SAME: usize = 64;

/// One claim of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ClaimRow {
    /// The record.
    pub memory: MemoryId,
    /// Digest of namespace, subject and predicate.
    pub about: Uuid,
    /// The claim's role.
    role: i64,
    /// Digest of the object, where only one object holds; nil otherwise.
    value: Uuid,
}

impl ClaimRow {
    /// Returns a record's claims; none if nothing may be derived from it.
    pub fn all_of(memory: &Memory) -> Vec<Self> {
        let digest = |text: String| NameId::of(&memory.draft.namespace, &text).0;
        let row = |Claim { key, says, .. }: Claim| Self {
            memory: memory.id,
            about: digest(format!("claim {key}")),
            role: says.role(),
            value: says.value().map_or(Uuid::nil(), |value| digest(format!("value {value}"))),
        };
        let mut rows: Vec<Self> = claims(memory).into_iter().map(row).collect();
        rows.sort_unstable();
        rows.dedup();
        rows
    }

    /// Groups records with claims about one key of which two may exclude each other and at least one is `fresh`, the
    /// newest groups first. Omits records without a number.
    pub fn groups(rows: &[Self], numbers: &BTreeMap<MemoryId, Seq>, fresh: &BTreeSet<MemoryId>) -> Vec<Vec<Seq>> {
        let mut about: BTreeMap<Uuid, Vec<(bool, Seq, Self)>> = BTreeMap::new();
        for row in rows {
            if let Some(seq) = numbers.get(&row.memory) {
                about.entry(row.about).or_default().push((fresh.contains(&row.memory), *seq, *row));
            }
        }
        about.retain(|_, group| group.iter().any(|(is_fresh, ..)| *is_fresh));
        let mut groups: Vec<Vec<Seq>> = about.into_values().filter_map(group).collect();
        groups.sort_by_key(|group| Reverse(group.first().copied()));
        groups
    }
}

/// Selects the records of one key to compare, newest first; `None` if no two of them may exclude each other.
fn group(mut rows: Vec<(bool, Seq, ClaimRow)>) -> Option<Vec<Seq>> {
    rows.sort_unstable_by_key(|row| Reverse(*row));
    rows.dedup();
    let (mut of_role, mut of_value) = (BTreeMap::<i64, usize>::new(), BTreeMap::<(i64, Uuid), usize>::new());
    rows.retain(|(_, _, row)| {
        let alike = of_value.entry((row.role, row.value)).or_default();
        if *alike >= ALIKE {
            return false;
        }
        let same = of_role.entry(row.role).or_default();
        let fits = *same < ABOUT_THE_SAME;
        *alike += usize::from(fits);
        *same += usize::from(fits);
        fits
    });
    let kinds: BTreeSet<(i64, Uuid)> = rows.iter().map(|(_, _, row)| (row.role, row.value)).collect();
    let clash = |one: &(i64, Uuid), two: &(i64, Uuid)| Says::may_exclude(one.0, two.0, one.1 == two.1);
    let mut seqs: Vec<Seq> = rows.iter().map(|(_, seq, _)| *seq).collect();
    seqs.sort_unstable_by_key(|seq| Reverse(*seq));
    seqs.dedup();
    let some = seqs.len() > 1 && kinds.iter().any(|one| kinds.iter().any(|two| clash(one, two)));
    some.then_some(seqs)
}

impl TableRow for ClaimRow {
    const TABLE: &'static Table = &Table {
        name: "claims",
        keys: 4,
        columns: &[Column::memory("memory_id"), Column::id("about"), Column::int("role"), Column::id("value")],
        indices: &[&["about"]],
    };

    fn to_row(&self) -> Row {
        vec![self.memory.into(), self.about.into(), self.role.into(), self.value.into()]
    }

    fn from_row(c: &mut Cells) -> Result<Self> {
        Ok(Self { memory: c.memory()?, about: c.id()?, role: c.int()?, value: c.id()? })
    }
}
