//! Tables, declared once for both backends: what a column is called, what it holds, and what is in its row.
//!
//! Everything that goes through all columns is made of these lists: statements that insert, select and write back,
//! schemas, and what `migrate` copies. `memories` also says of each column where its value comes from and goes.
//! Plain data and functions over it; statements are text, and know nothing of a row's meaning.

pub(crate) mod memories;
mod schema;
mod system;
mod vault;

pub(crate) use schema::Dialect;
pub(crate) use system::OF_ALL;
pub(crate) use vault::of_user;

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A whole number.
    Int,
    /// A whole number that is never large: of a closed set, or bits.
    Small,
    /// Yes or no.
    Flag,
    /// A double.
    Real,
    /// Text.
    Text,
    /// An id of 16 bytes.
    Id,
    /// Bytes.
    Bytes,
    /// Texts, none of them or some.
    Tags,
}

/// A column.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Column {
    /// Its name in files.
    pub(crate) files: &'static str,
    /// Its name in a database.
    pub(crate) database: &'static str,
    /// What it holds.
    pub(crate) kind: Kind,
    /// Whether it may be NULL.
    pub(crate) nullable: bool,
}

impl Column {
    /// The same, which may be NULL.
    pub(crate) const fn or_null(self) -> Self {
        Self { nullable: true, ..self }
    }
}

/// How rows lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lies {
    /// Alike in both.
    Alike,
    /// What there is once of a vault: in several tables of files, in one row of a database.
    Head,
    /// Counters of a vault: rows in files, arrays in a database.
    Counters,
    /// The name of the audit of the system, and its last number.
    Log,
}

/// A table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Table {
    /// Its name in messages.
    pub(crate) name: &'static str,
    /// Its name in files.
    pub(crate) files: &'static str,
    /// Its name in a database.
    pub(crate) database: &'static str,
    /// How many of its first columns are its key, by which its rows are in order.
    pub(crate) keys: usize,
    /// Its columns.
    pub(crate) columns: &'static [Column],
    /// How its rows lie.
    pub(crate) lies: Lies,
}

impl Table {
    /// Where a column is.
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
