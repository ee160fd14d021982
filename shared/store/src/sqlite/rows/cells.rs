//! Reads the columns of a row one after another.

use kimberly_core::error::Result;
use rusqlite::Row;
use rusqlite::types::ValueRef;
use uuid::Uuid;

use crate::rows::{ReadRow, labels};
use crate::sqlite::errors;

/// The columns of a row, starting with the first.
pub(crate) struct Cells<'r> {
    row: &'r Row<'r>,
    next: usize,
}

impl<'r> Cells<'r> {
    pub(crate) fn new(row: &'r Row<'r>) -> Self {
        Self { row, next: 0 }
    }

    fn take<T: Cell<'r>>(&mut self) -> Result<T> {
        let index = self.next;
        self.next += 1;
        let value = self.row.get_ref(index).map_err(|e| errors::sql("reading a row", &e))?;
        T::of(value).ok_or_else(|| errors::corrupt(format!("reading a row: column {index} holds something unexpected")))
    }

    /// Text or NULL, with invalid UTF-8 replaced.
    pub(crate) fn any_text(&mut self) -> Result<Option<String>> {
        Ok(self.opt_bytes()?.map(|bytes| String::from_utf8_lossy(bytes).into_owned()))
    }
}

impl<'r> ReadRow<'r> for Cells<'r> {
    fn int(&mut self) -> Result<i64> {
        self.take()
    }
    fn opt_int(&mut self) -> Result<Option<i64>> {
        self.take()
    }
    fn flag(&mut self) -> Result<bool> {
        Ok(self.int()? != 0)
    }
    fn real(&mut self) -> Result<f64> {
        self.take()
    }
    fn text(&mut self) -> Result<String> {
        self.take()
    }
    fn opt_text(&mut self) -> Result<Option<String>> {
        self.take()
    }
    fn str(&mut self) -> Result<&'r str> {
        self.take()
    }
    fn opt_str(&mut self) -> Result<Option<&'r str>> {
        self.take()
    }
    fn opt_bytes(&mut self) -> Result<Option<&'r [u8]>> {
        self.take()
    }
    fn uuid(&mut self) -> Result<Uuid> {
        id(self.take()?)
    }
    fn opt_uuid(&mut self) -> Result<Option<Uuid>> {
        self.opt_bytes()?.map(id).transpose()
    }
    /// From a JSON array; NULL if there are none.
    fn tags(&mut self) -> Result<Vec<String>> {
        labels(self.opt_str()?)
    }
}

fn id(bytes: &[u8]) -> Result<Uuid> {
    Uuid::from_slice(bytes).map_err(|_| errors::corrupt(format!("an id has {} bytes", bytes.len())))
}

/// A type of value in a column.
trait Cell<'r>: Sized {
    /// Returns the value; `None` if it has another type.
    fn of(value: ValueRef<'r>) -> Option<Self>;
}

impl<'r, T: Cell<'r>> Cell<'r> for Option<T> {
    fn of(value: ValueRef<'r>) -> Option<Self> {
        if matches!(value, ValueRef::Null) { Some(None) } else { T::of(value).map(Some) }
    }
}

impl Cell<'_> for i64 {
    fn of(value: ValueRef<'_>) -> Option<Self> {
        if let ValueRef::Integer(number) = value { Some(number) } else { None }
    }
}

impl Cell<'_> for f64 {
    #[expect(clippy::cast_precision_loss, reason = "SQLite stores whole numbers of a REAL column as integers")]
    fn of(value: ValueRef<'_>) -> Option<Self> {
        match value {
            ValueRef::Real(number) => Some(number),
            ValueRef::Integer(number) => Some(number as Self),
            _ => None,
        }
    }
}

impl<'r> Cell<'r> for &'r [u8] {
    fn of(value: ValueRef<'r>) -> Option<Self> {
        match value {
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Some(bytes),
            _ => None,
        }
    }
}

impl<'r> Cell<'r> for &'r str {
    fn of(value: ValueRef<'r>) -> Option<Self> {
        <&[u8]>::of(value).and_then(|bytes| str::from_utf8(bytes).ok())
    }
}

impl Cell<'_> for String {
    fn of(value: ValueRef<'_>) -> Option<Self> {
        <&str>::of(value).map(str::to_owned)
    }
}
