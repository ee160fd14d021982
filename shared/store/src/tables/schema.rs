//! Declared columns as the schemas of both backends have them.

use super::{Column, Kind};

/// Which schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Schema {
    /// Of files: SQLite, with strict tables.
    Files,
    /// Of a database: Postgres.
    Database,
}

impl Schema {
    /// A column with its type.
    pub(crate) fn column(self, column: &Column) -> String {
        let name = match self {
            Self::Files => column.files,
            Self::Database => column.database,
        };
        let null = if self.is_nullable(column) { "" } else { " NOT NULL" };
        format!("{name} {}{null}", self.kind(column.kind))
    }

    /// No tags are NULL in files, and an empty array in a database.
    pub(crate) fn is_nullable(self, column: &Column) -> bool {
        column.nullable || (self == Self::Files && column.kind == Kind::Tags)
    }

    /// The type of a column.
    pub(crate) fn kind(self, kind: Kind) -> &'static str {
        match (self, kind) {
            (Self::Files, Kind::Int | Kind::Small | Kind::Flag) => "INTEGER",
            (Self::Files, Kind::Real) => "REAL",
            (Self::Files, Kind::Text | Kind::Tags) => "TEXT",
            (Self::Files, Kind::Id | Kind::Bytes) => "BLOB",
            (Self::Database, Kind::Int) => "bigint",
            (Self::Database, Kind::Small) => "smallint",
            (Self::Database, Kind::Flag) => "boolean",
            (Self::Database, Kind::Real) => "double precision",
            (Self::Database, Kind::Text) => "text",
            (Self::Database, Kind::Tags) => "text[]",
            (Self::Database, Kind::Id) => "uuid",
            (Self::Database, Kind::Bytes) => "bytea",
        }
    }
}
