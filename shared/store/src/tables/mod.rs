//! Table declarations shared by both backends: the names and types of columns, and the contents of rows.
//!
//! Everything that iterates over all columns is generated from these lists: statements that insert, select and write
//! back, schemas, what `migrate` copies, and where Citus puts each table. `memories` also maps each column to its source
//! and destination. Plain data and functions over it; statements are text and know nothing of a row's meaning.

pub(crate) mod memories;
mod schema;
mod spread;
mod system;
mod vault;

pub(crate) use schema::Dialect;
pub(crate) use spread::{FIRST, Spread, spread};
pub(crate) use system::OF_ALL;
pub(crate) use vault::of_user;

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An integer.
    Int,
    /// A small integer: the code of a closed set, or bits.
    Small,
    /// A flag.
    Flag,
    /// A double.
    Real,
    /// Text.
    Text,
    /// An id of 16 bytes.
    Id,
    /// Bytes.
    Bytes,
    /// A list of texts.
    Tags,
}

/// A column.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Column {
    /// Its name in SQLite.
    pub(crate) files: &'static str,
    /// Its name in Postgres.
    pub(crate) database: &'static str,
    /// Its type.
    pub(crate) kind: Kind,
    /// Whether it may be NULL.
    pub(crate) nullable: bool,
}

impl Column {
    /// Makes the column nullable.
    pub(crate) const fn or_null(self) -> Self {
        Self { nullable: true, ..self }
    }
}

/// How a table is stored in the two backends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lies {
    /// Alike in both.
    Alike,
    /// Single values of a vault: in several tables of a file, in one row of a database.
    Head,
    /// Counters of a vault: rows in a file, arrays in a database.
    Counters,
    /// Name and last number of the system audit.
    Log,
}

/// A table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Table {
    /// Its name in messages.
    pub(crate) name: &'static str,
    /// Its name in SQLite.
    pub(crate) files: &'static str,
    /// Its name in Postgres.
    pub(crate) database: &'static str,
    /// Number of key columns, which come first; rows are ordered by them.
    pub(crate) keys: usize,
    /// Its columns.
    pub(crate) columns: &'static [Column],
    /// How its rows are stored.
    pub(crate) lies: Lies,
}

impl Table {
    /// Returns the position of a column.
    pub(crate) fn at(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.files == name)
    }
}

const fn column(name: &'static str, kind: Kind) -> Column {
    Column { files: name, database: name, kind, nullable: false }
}
const fn int(name: &'static str) -> Column {
    column(name, Kind::Int)
}
const fn small(name: &'static str) -> Column {
    column(name, Kind::Small)
}
const fn flag(name: &'static str) -> Column {
    column(name, Kind::Flag)
}
const fn real(name: &'static str) -> Column {
    column(name, Kind::Real)
}
const fn text(name: &'static str) -> Column {
    column(name, Kind::Text)
}
const fn id(name: &'static str) -> Column {
    column(name, Kind::Id)
}
const fn bytes(name: &'static str) -> Column {
    column(name, Kind::Bytes)
}

const fn tags(name: &'static str) -> Column {
    column(name, Kind::Tags)
}

const fn table(name: &'static str, keys: usize, columns: &'static [Column]) -> Table {
    Table { name, files: name, database: name, keys, columns, lies: Lies::Alike }
}
