//! The table of memories: columns of its statements, written values and read values.
//!
//! `fields` is the list of columns; nothing here names one of them.

mod field;
mod fields;
mod texts;

use std::sync::LazyLock;

use kimberly_core::error::Result;
use kimberly_core::ids::{MemoryId, Seq};
use kimberly_core::memory::{Memory, MemoryDraft, MemoryRecord, MemoryState, Past};
use kimberly_core::scoring::ScoreRecord;
use kimberly_core::time::Timestamp;
use uuid::Uuid;

use super::Column;
use crate::name_refs::NameRefs;
use crate::rows::{ReadRow, WriteRow};
use crate::sealed::Seals;
use field::{Field, Read, Written};
use fields::FIELDS;

/// Field name under which the content is sealed.
pub(crate) const CONTENT: &str = texts::CONTENT.name;
/// Field name under which the texts of a detail are sealed.
pub(crate) const TEXTS: &str = texts::TEXTS.name;
/// Field name under which the subject is sealed and looked up.
pub(crate) const SUBJECT: &str = texts::SUBJECT.name;
/// Field name under which a record's name is sealed and looked up.
pub(crate) const NAME: &str = texts::NAME.name;

/// A memory to be written to its row.
pub(crate) struct Stored<'a> {
    memory: &'a Memory,
    /// The explanation of its score, if known.
    score: Option<&'a ScoreRecord>,
    /// How often it helped, and how often it did not.
    outcomes: (u64, u64),
    /// The states it was ever in, as bits: see [`life`].
    life: i64,
    refs: &'a NameRefs,
    seq: Seq,
}

impl<'a> Stored<'a> {
    /// A record to insert under a new number.
    pub(crate) fn of_record(record: &'a MemoryRecord, refs: &'a NameRefs, seq: i64) -> Self {
        let outcomes = (record.helpful, record.unhelpful);
        let (score, life) = (record.score.as_ref(), life_of(record));
        Self { memory: &record.memory, score, outcomes, life, refs, seq: Seq(seq) }
    }

    /// A memory to write back; without `score`, the row keeps its score record.
    pub(crate) fn of_memory(memory: &'a Memory, score: Option<&'a ScoreRecord>, refs: &'a NameRefs) -> Self {
        Self { memory, score, outcomes: (0, 0), life: life(memory.state), refs, seq: memory.seq }
    }
}

/// Returns the bits of the column `life` that a state sets permanently: 1 for was archived, 2 for was deleted.
pub(crate) const fn life(state: MemoryState) -> i64 {
    match state {
        MemoryState::Active => 0,
        MemoryState::Archived => 1,
        MemoryState::Deleted => 2,
    }
}

/// Returns the bits of the column `life` of a record.
pub(crate) fn life_of(record: &MemoryRecord) -> i64 {
    life(record.memory.state) | i64::from(record.was_archived) | i64::from(record.was_deleted) << 1
}

/// The columns alone, for moves and schemas.
pub(super) const COLUMNS: [Column; FIELDS.len()] = {
    let mut columns = [FIELDS[0].column; FIELDS.len()];
    let mut at = 0;
    while at < FIELDS.len() {
        columns[at] = FIELDS[at].column;
        at += 1;
    }
    columns
};

fn selected(which: impl Fn(Read) -> bool) -> String {
    let fields = FIELDS.iter().filter(|field| which(field.read));
    let selects = |field: &Field| field.selects.map_or_else(|| format!("m.{}", field.column.files), str::to_owned);
    fields.map(selects).collect::<Vec<_>>().join(", ")
}

/// The columns that [`memory_from`] reads, over memories `m` with session `s`, speaker `p`, namespace `n` and consent `o`.
pub(crate) fn memory_columns() -> &'static str {
    static COLUMNS: LazyLock<String> = LazyLock::new(|| selected(|read| read == Read::Memories));
    &COLUMNS
}

/// The columns that [`record_from`] reads, over the same tables.
pub(crate) fn record_columns() -> &'static str {
    static COLUMNS: LazyLock<String> = LazyLock::new(|| selected(|read| read != Read::Never));
    &COLUMNS
}

/// Reads a memory from [`memory_columns`].
pub(crate) fn memory_from(c: &mut dyn ReadRow<'_>, seals: Option<&Seals>) -> Result<Memory> {
    read(c, seals, |read| read == Read::Memories).map(|record| record.memory)
}

/// Reads a record from [`record_columns`].
pub(crate) fn record_from(c: &mut dyn ReadRow<'_>, seals: Option<&Seals>) -> Result<MemoryRecord> {
    read(c, seals, |read| read != Read::Never)
}

fn read(c: &mut dyn ReadRow<'_>, seals: Option<&Seals>, which: impl Fn(Read) -> bool) -> Result<MemoryRecord> {
    let mut record = blank();
    for field in FIELDS.iter().filter(|field| which(field.read)) {
        field.take(c, &mut record, seals)?;
    }
    Ok(record)
}

/// The inserted columns, separated by commas.
pub(crate) fn inserted() -> &'static str {
    static INSERTED: LazyLock<String> =
        LazyLock::new(|| FIELDS.iter().map(|field| field.column.files).collect::<Vec<_>>().join(", "));
    &INSERTED
}

/// Number of inserted columns.
pub(crate) const INSERTED: usize = FIELDS.len();

/// Appends the values of [`inserted`].
pub(crate) fn push_inserted(args: &mut dyn WriteRow, stored: &Stored<'_>, seals: Option<&Seals>) -> Result<()> {
    push(args, FIELDS.iter(), stored, seals)
}

/// The SET list that writes a memory back. `old` names the existing row; `value` returns the placeholder at a position
/// counted from 0.
pub(crate) fn updates(old: &str, value: impl Fn(usize) -> String) -> String {
    let set = |(at, field): (usize, &Field)| {
        let (name, value) = (field.column.files, value(at));
        match field.written {
            Written::Always | Written::Once => format!("{name} = {value}"),
            Written::Bits => format!("{name} = {old}.{name} | {value}"),
            Written::UnlessNull => format!("{name} = coalesce({value}, {old}.{name})"),
        }
    };
    updated().enumerate().map(set).collect::<Vec<_>>().join(", ")
}

/// Appends the values of [`updates`].
pub(crate) fn push_updated(args: &mut dyn WriteRow, stored: &Stored<'_>, seals: Option<&Seals>) -> Result<()> {
    push(args, updated(), stored, seals)
}

fn updated() -> impl Iterator<Item = &'static Field> {
    FIELDS.iter().filter(|field| field.written != Written::Once)
}

fn push(
    args: &mut dyn WriteRow,
    mut fields: impl Iterator<Item = &'static Field>,
    stored: &Stored<'_>,
    seals: Option<&Seals>,
) -> Result<()> {
    let seals = seals.filter(|seals| stored.memory.draft.metadata.sensitive && seals.are_on());
    fields.try_for_each(|field| field.put(args, stored, seals))
}

/// An empty record to read into.
fn blank() -> MemoryRecord {
    let memory = Memory::new(MemoryId(Uuid::nil()), Seq(0), MemoryDraft::default(), Timestamp(0));
    let (was_archived, was_deleted, past) = (false, false, Past::default());
    MemoryRecord { memory, score: None, helpful: 0, unhelpful: 0, was_archived, was_deleted, past }
}

#[cfg(test)]
mod tests;
