//! Cells of rows, and their conversion from and to types.

use uuid::Uuid;

use crate::error::{Error, Result, StorageFailure};
use crate::ids::MemoryId;
use crate::time::Timestamp;

/// The values of a row, in the order of its table's columns.
pub type Row = Vec<Cell>;

/// A value in a row.
#[derive(Clone, PartialEq)]
pub enum Cell {
    /// No value.
    Null,
    /// An integer.
    Int(i64),
    /// A double.
    Real(f64),
    /// A text: a name or words.
    Text(String),
    /// An id.
    Id(Uuid),
}

/// Omits texts, which may be a user's.
impl std::fmt::Debug for Cell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Null => f.write_str("Null"),
            Self::Int(number) => write!(f, "Int({number})"),
            Self::Real(number) => write!(f, "Real({number})"),
            Self::Text(text) => write!(f, "Text({} bytes)", text.len()),
            Self::Id(id) => write!(f, "Id({id})"),
        }
    }
}

impl Cell {
    /// Returns the id, if the cell is one.
    pub fn id(&self) -> Option<Uuid> {
        match self {
            Self::Id(id) => Some(*id),
            _ => None,
        }
    }
}

impl From<i64> for Cell {
    fn from(number: i64) -> Self {
        Self::Int(number)
    }
}

impl From<u64> for Cell {
    fn from(number: u64) -> Self {
        Self::Int(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

impl From<bool> for Cell {
    fn from(flag: bool) -> Self {
        Self::Int(i64::from(flag))
    }
}

impl From<f64> for Cell {
    fn from(number: f64) -> Self {
        Self::Real(number)
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<Uuid> for Cell {
    fn from(id: Uuid) -> Self {
        Self::Id(id)
    }
}

impl From<MemoryId> for Cell {
    fn from(id: MemoryId) -> Self {
        Self::Id(id.0)
    }
}

impl From<Timestamp> for Cell {
    fn from(at: Timestamp) -> Self {
        Self::Int(at.0)
    }
}

impl<T: Into<Cell>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

/// Reads the values of a row one after the other. A value of another type was not written by this build and is an error.
pub struct Cells {
    row: std::vec::IntoIter<Cell>,
}

impl Cells {
    /// Starts at the first column.
    pub fn new(row: Row) -> Self {
        Self { row: row.into_iter() }
    }

    fn take<T>(&mut self, of: impl FnOnce(Cell) -> Option<T>) -> Result<T> {
        self.row.next().and_then(of).ok_or_else(|| unreadable("a row of a vault is not of its table's kinds"))
    }

    /// An integer.
    pub fn int(&mut self) -> Result<i64> {
        self.opt_int()?.ok_or_else(|| unreadable("a number of a row is missing"))
    }

    /// An optional integer.
    pub fn opt_int(&mut self) -> Result<Option<i64>> {
        self.take(|cell| match cell {
            Cell::Int(number) => Some(Some(number)),
            Cell::Null => Some(None),
            _ => None,
        })
    }

    /// A non-negative integer.
    pub fn count(&mut self) -> Result<u64> {
        u64::try_from(self.int()?).map_err(|_| unreadable("a count of a row is negative"))
    }

    /// A boolean.
    pub fn flag(&mut self) -> Result<bool> {
        Ok(self.int()? != 0)
    }

    /// A time.
    pub fn time(&mut self) -> Result<Timestamp> {
        self.int().map(Timestamp)
    }

    /// An optional time.
    pub fn opt_time(&mut self) -> Result<Option<Timestamp>> {
        Ok(self.opt_int()?.map(Timestamp))
    }

    /// A double.
    pub fn real(&mut self) -> Result<f64> {
        self.take(|cell| match cell {
            Cell::Real(number) => Some(number),
            _ => None,
        })
    }

    /// A text.
    pub fn text(&mut self) -> Result<String> {
        self.opt_text()?.ok_or_else(|| unreadable("a text of a row is missing"))
    }

    /// An optional text.
    pub fn opt_text(&mut self) -> Result<Option<String>> {
        self.take(|cell| match cell {
            Cell::Text(text) => Some(Some(text)),
            Cell::Null => Some(None),
            _ => None,
        })
    }

    /// A value of a closed set, by name.
    pub fn named<T>(&mut self, from: impl FnOnce(&str) -> Option<T>) -> Result<T> {
        let name = self.text()?;
        from(&name).ok_or_else(|| unreadable(format!("the name \"{name}\" of a row is unknown")))
    }

    /// An id.
    pub fn id(&mut self) -> Result<Uuid> {
        self.opt_id()?.ok_or_else(|| unreadable("an id of a row is missing"))
    }

    /// An optional id.
    pub fn opt_id(&mut self) -> Result<Option<Uuid>> {
        self.take(|cell| match cell {
            Cell::Id(id) => Some(Some(id)),
            Cell::Null => Some(None),
            _ => None,
        })
    }

    /// A memory's id.
    pub fn memory(&mut self) -> Result<MemoryId> {
        self.id().map(MemoryId)
    }
}

fn unreadable(detail: impl Into<String>) -> Error {
    Error::storage(StorageFailure::Corrupt, detail)
}
