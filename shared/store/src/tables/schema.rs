//! Fills declared columns into the schemas of both backends.
//!
//! In a schema, `{declared tables}` stands for the tables that `kimberly_core::tables` declares, and `{columns of
//! TABLE}` for the columns of a table; keys, constraints, indices and triggers are written around them by hand. Tests
//! compare tables that list their own columns with the declarations.

use super::{Column, Kind, OF_ALL, Table, of_user};
use crate::declared;

/// The SQL dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// SQLite, with strict tables.
    Files,
    /// Postgres.
    Database,
}

impl Dialect {
    /// Fills in the placeholders of a schema.
    pub(crate) fn filled(self, sql: &str) -> String {
        let sql =
            sql.replace("{declared tables}", &declared::created(self)).replace("{declared names}", &declared::names());
        of_user().iter().chain(OF_ALL).fold(sql, |sql, table| {
            let placeholder = format!("{{columns of {}}}", self.name(table));
            if sql.contains(&placeholder) { sql.replace(&placeholder, &self.columns(table)) } else { sql }
        })
    }

    fn name(self, table: &Table) -> &'static str {
        match self {
            Self::Files => table.files,
            Self::Database => table.database,
        }
    }

    fn columns(self, table: &Table) -> String {
        // Collation by bytes, as in SQLite.
        let order = |column: &Column| {
            if (self, column.kind) == (Self::Database, Kind::Text) { " COLLATE \"C\"" } else { "" }
        };
        let declared = |column: &Column| format!("{}{}", self.column(column), order(column));
        table.columns.iter().map(declared).collect::<Vec<_>>().join(",\n    ")
    }

    /// Returns a column definition: name and type.
    pub(crate) fn column(self, column: &Column) -> String {
        let name = match self {
            Self::Files => column.files,
            Self::Database => column.database,
        };
        let null = if self.is_nullable(column) { "" } else { " NOT NULL" };
        format!("{name} {}{null}", self.kind(column.kind))
    }

    /// An empty list of tags is NULL in files and an empty array in a database.
    fn is_nullable(self, column: &Column) -> bool {
        column.nullable || (self == Self::Files && column.kind == Kind::Tags)
    }

    fn kind(self, kind: Kind) -> &'static str {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_stand_where_the_file_names_their_table() {
        let sql = "CREATE TABLE goals (\n    {columns of goals},\n    PRIMARY KEY (id)\n) STRICT;";
        assert_eq!(
            Dialect::Files.filled(sql),
            "CREATE TABLE goals (\n    id BLOB NOT NULL,\n    status TEXT NOT NULL,\n    created_at INTEGER NOT NULL,\n    \
             body TEXT NOT NULL,\n    PRIMARY KEY (id)\n) STRICT;"
        );
        assert!(
            Dialect::Database.filled(sql).contains("    id uuid NOT NULL,\n    status text NOT NULL COLLATE \"C\",\n")
        );
        let tags = Dialect::Database.filled("{columns of memories}");
        assert!(tags.contains("tags text[] NOT NULL") && tags.contains("session bigint,"), "{tags}");
        assert!(Dialect::Files.filled("{columns of memories}").contains("tags TEXT,"));
    }
}
