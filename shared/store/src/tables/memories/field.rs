//! A column of the table of memories: when it is written and read, and how.

use kimberly_core::error::Result;
use kimberly_core::memory::{MemoryDraft, MemoryRecord};

use super::{Column, Stored};
use crate::rows::{ReadRow, WriteRow, folded, opened};
use crate::sealed::Seals;

/// When a column is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Written {
    /// On insert and on every write-back.
    Always,
    /// On insert; later only by dedicated statements.
    Once,
    /// Like `Always`, but bits are added and never cleared.
    Bits,
    /// Like `Always`, but NULL keeps the stored value.
    UnlessNull,
}

/// The reads that include a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Read {
    /// Reads of memories.
    Memories,
    /// Reads of records only: memories with everything stored about them.
    Records,
    /// Dedicated statements only.
    Never,
}

/// Appends the value of a column.
pub(super) type Put = fn(&mut dyn WriteRow, &Stored<'_>);
/// Reads a column.
pub(super) type Take = fn(&mut dyn ReadRow<'_>, &mut MemoryRecord) -> Result<()>;

/// How a column is written and read.
#[derive(Clone, Copy)]
pub(super) enum Value {
    /// Any value.
    Of(Put, Take),
    /// A plain text; empty while the memory is sealed.
    Plain(&'static SealedText),
    /// The same text as ciphertext, while the memory is sealed.
    Sealed(&'static SealedText),
    /// The lookup key of a text, ignoring case: the text itself, or its blind index while the memory is sealed.
    Key(&'static SealedText),
    /// The same, compared byte by byte.
    Name(&'static SealedText),
}

/// A text that is sealed if the memory is sensitive and encryption is on.
pub(super) struct SealedText {
    /// The field name that its ciphertext is bound to. Never changes.
    pub(super) name: &'static str,
    pub(super) get: fn(&MemoryDraft) -> Option<String>,
    pub(super) set: fn(&mut MemoryDraft, Option<String>) -> Result<()>,
}

/// A column with its writer and reader.
#[derive(Clone, Copy)]
pub(super) struct Field {
    pub(super) column: Column,
    /// The selected expression over `memories m`, session `s`, speaker `p`, namespace `n` and consent `o`, if not the
    /// column itself.
    pub(super) selects: Option<&'static str>,
    pub(super) written: Written,
    pub(super) read: Read,
    pub(super) value: Value,
}

/// A column written and read with the memory.
pub(super) const fn field(column: Column, put: Put, take: Take) -> Field {
    text(column, Value::Of(put, take))
}

/// A column written with the memory and read by other statements only.
pub(super) const fn unread(column: Column, put: Put) -> Field {
    field(column, put, |_, _| Ok(())).unread()
}

/// A column for a text that may be sealed.
pub(super) const fn text(column: Column, value: Value) -> Field {
    Field { column, selects: None, written: Written::Always, read: Read::Memories, value }
}

impl Field {
    pub(super) const fn selects(self, selects: &'static str) -> Self {
        Self { selects: Some(selects), ..self }
    }

    pub(super) const fn written(self, written: Written) -> Self {
        Self { written, ..self }
    }

    pub(super) const fn unread(self) -> Self {
        Self { read: Read::Never, ..self }
    }

    pub(super) const fn of_records(self) -> Self {
        Self { read: Read::Records, ..self }
    }

    pub(super) fn put(&self, args: &mut dyn WriteRow, stored: &Stored<'_>, seals: Option<&Seals>) -> Result<()> {
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

    pub(super) fn take(&self, c: &mut dyn ReadRow<'_>, record: &mut MemoryRecord, seals: Option<&Seals>) -> Result<()> {
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
        (Some(plain), Some(seals)) => Ok(seals.blind_indexes(text.name, &plain)?.into_iter().next()),
        (plain, _) => Ok(plain.map(String::into_bytes)),
    }
}
