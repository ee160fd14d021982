//! The table of memories: columns of its statements, written values and read values.
//!
//! `fields` is the list of columns; nothing here names one of them.

mod fields;

use std::sync::LazyLock;

use kimberly_core::error::Result;
use kimberly_core::ids::{MemoryId, Seq};
use kimberly_core::memory::{Memory, MemoryDraft, MemoryRecord, MemoryState, Past};
use kimberly_core::scoring::ScoreRecord;
use kimberly_core::time::Timestamp;
use uuid::Uuid;

use super::Column;
use crate::places::Place;
use crate::rows::{ReadRow, WriteRow, folded, opened};
use crate::sealed::Seals;
use fields::FIELDS;

/// Field name under which the content is sealed.
pub(crate) const CONTENT: &str = fields::CONTENT.name;
/// Field name under which the texts of a detail are sealed.
pub(crate) const TEXTS: &str = fields::TEXTS.name;
/// Field name under which the subject is sealed and looked up.
pub(crate) const SUBJECT: &str = fields::SUBJECT.name;
/// Field name under which a record's name is sealed and looked up.
pub(crate) const NAME: &str = fields::NAME.name;

/// A memory to be written to its row.
pub(crate) struct Stored<'a> {
    memory: &'a Memory,
    /// The explanation of its score, if known.
    score: Option<&'a ScoreRecord>,
    /// How often it helped, and how often it did not.
    outcomes: (u64, u64),
    /// The states it was ever in, as bits: see [`life`].
    life: i64,
    place: &'a Place,
    seq: Seq,
}

impl<'a> Stored<'a> {
    /// A record to insert under a new number.
    pub(crate) fn of_record(record: &'a MemoryRecord, place: &'a Place, seq: i64) -> Self {
        let outcomes = (record.helpful, record.unhelpful);
        let (score, life) = (record.score.as_ref(), life_of(record));
        Self { memory: &record.memory, score, outcomes, life, place, seq: Seq(seq) }
    }

    /// A memory to write back; without `score`, the row keeps its score record.
    pub(crate) fn of_memory(memory: &'a Memory, score: Option<&'a ScoreRecord>, place: &'a Place) -> Self {
        Self { memory, score, outcomes: (0, 0), life: life(memory.state), place, seq: memory.seq }
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

/// When a column is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Written {
    /// On insert and on every write-back.
    Always,
    /// On insert; later only by dedicated statements.
    Once,
    /// Like `Always`, but bits are added and never cleared.
    Bits,
    /// Like `Always`, but NULL keeps the stored value.
    UnlessNull,
}

/// Which reads include a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Read {
    /// Reads of memories.
    Memories,
    /// Reads of records only: memories with everything stored about them.
    Records,
    /// Dedicated statements only.
    Never,
}

/// Appends the value of a column.
type Put = fn(&mut dyn WriteRow, &Stored<'_>);
/// Reads a column.
type Take = fn(&mut dyn ReadRow<'_>, &mut MemoryRecord) -> Result<()>;

/// How a column is written and read.
#[derive(Clone, Copy)]
enum Value {
    /// Any value.
    Of(Put, Take),
    /// A plain text; empty while the memory is sealed.
    Plain(&'static SealedText),
    /// The same text as ciphertext, while the memory is sealed.
    Sealed(&'static SealedText),
    /// The lookup key of a text, ignoring case: the text itself, or its mark while the memory is sealed.
    Key(&'static SealedText),
    /// The same, compared byte by byte.
    Name(&'static SealedText),
}

/// A text that is sealed if the memory is sensitive and encryption is on.
struct SealedText {
    /// The field name that its ciphertext is bound to. Never changes.
    name: &'static str,
    get: fn(&MemoryDraft) -> Option<String>,
    set: fn(&mut MemoryDraft, Option<String>) -> Result<()>,
}

/// A column with its writer and reader.
#[derive(Clone, Copy)]
struct Field {
    column: Column,
    /// The selected expression over `memories m`, session `s`, speaker `p`, namespace `n` and consent `o`, if not the
    /// column itself.
    selects: Option<&'static str>,
    written: Written,
    read: Read,
    value: Value,
}

/// A column written and read with the memory.
const fn field(column: Column, put: Put, take: Take) -> Field {
    text(column, Value::Of(put, take))
}

/// A column written with the memory and read by other statements only.
const fn unread(column: Column, put: Put) -> Field {
    field(column, put, |_, _| Ok(())).unread()
}

/// A column for a text that may be sealed.
const fn text(column: Column, value: Value) -> Field {
    Field { column, selects: None, written: Written::Always, read: Read::Memories, value }
}

impl Field {
    const fn selects(self, selects: &'static str) -> Self {
        Self { selects: Some(selects), ..self }
    }

    const fn written(self, written: Written) -> Self {
        Self { written, ..self }
    }

    const fn unread(self) -> Self {
        Self { read: Read::Never, ..self }
    }

    const fn of_records(self) -> Self {
        Self { read: Read::Records, ..self }
    }

    fn put(&self, args: &mut dyn WriteRow, stored: &Stored<'_>, seals: Option<&Seals>) -> Result<()> {
        let draft = &stored.memory.draft;
        match self.value {
            Value::Of(put, _) => put(args, stored),
            Value::Plain(text) if seals.is_none() => args.put_opt_text((text.get)(draft)),
            Value::Plain(_) => args.put_opt_text((!self.column.nullable).then(String::new)),
            Value::Sealed(text) => {
                let seal =
                    |seals: &Seals| (text.get)(draft).map(|plain| seals.seal(stored.memory.id, text.name, &plain));
                args.put_opt_bytes(seals.and_then(seal).transpose()?);
            }
            Value::Key(text) => args.put_opt_bytes(key(text, (text.get)(draft).map(|plain| folded(&plain)), seals)?),
            Value::Name(text) => args.put_opt_bytes(key(text, (text.get)(draft), seals)?),
        }
        Ok(())
    }

    fn take(&self, c: &mut dyn ReadRow<'_>, record: &mut MemoryRecord, seals: Option<&Seals>) -> Result<()> {
        match self.value {
            Value::Of(_, take) => take(c, record),
            Value::Plain(text) => (text.set)(&mut record.memory.draft, c.opt_text()?),
            Value::Key(_) | Value::Name(_) => c.opt_bytes().map(drop),
            Value::Sealed(text) => match c.opt_bytes()? {
                Some(sealed) => {
                    let plain = opened(seals, record.memory.id, text.name, sealed)?;
                    (text.set)(&mut record.memory.draft, Some(plain))
                }
                None => Ok(()),
            },
        }
    }
}

/// Returns the lookup key of a text.
fn key(text: &SealedText, plain: Option<String>, seals: Option<&Seals>) -> Result<Option<Vec<u8>>> {
    match (plain, seals) {
        (Some(plain), Some(seals)) => Ok(seals.marks(text.name, &plain)?.into_iter().next()),
        (plain, _) => Ok(plain.map(String::into_bytes)),
    }
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
