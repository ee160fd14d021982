//! Generates the schemas of declared tables for both backends.

use std::fmt::Write as _;

use kimberly_core::tables::{self, ALL, Kind};

use crate::tables::{Column, Dialect, Kind as Stored, Lies, Table};

/// Converts declared tables to the form that moves and schemas use.
pub(crate) fn tables() -> impl Iterator<Item = Table> {
    ALL.iter().map(|table| Table {
        name: table.name,
        files: table.name,
        database: table.name,
        keys: table.keys,
        columns: table.columns.iter().map(stored).collect::<Vec<_>>().leak(),
        lies: Lies::Alike,
    })
}

fn stored(column: &tables::Column) -> Column {
    let kind = match column.kind {
        Kind::Int => Stored::Int,
        Kind::Real => Stored::Real,
        Kind::Text => Stored::Text,
        Kind::Id | Kind::Memory => Stored::Id,
        Kind::Words { .. } => Stored::Bytes,
    };
    Column { files: column.name, database: column.name, kind, nullable: column.nullable }
}

/// Returns their names as SQL literals, each preceded by a comma.
pub(crate) fn names() -> String {
    ALL.iter().fold(String::new(), |names, table| names + ", '" + table.name + "'")
}

/// Returns the statements that create the tables, with keys, cascades from memories, and indices.
pub(crate) fn created(dialect: Dialect) -> String {
    ALL.iter().map(|table| of(dialect, table)).collect()
}

fn of(dialect: Dialect, table: &tables::Table) -> String {
    let (name, user, of_user) = match dialect {
        Dialect::Files => (table.name, "", ""),
        Dialect::Database => (table.name, "user_id, ", "user_id text COLLATE \"C\" NOT NULL,\n    "),
    };
    let keys: Vec<_> = table.key().iter().map(|column| column.name).collect();
    let goes_with = |column: &tables::Column| {
        format!(",\n    FOREIGN KEY ({user}{}) REFERENCES memories ({user}id) ON DELETE CASCADE", column.name)
    };
    let with: String = table.memories().map(goes_with).collect();
    let how = match dialect {
        Dialect::Database => "",
        // WITHOUT ROWID suits short rows only: long values should not be stored with the key.
        Dialect::Files if table.has_words() => " STRICT",
        Dialect::Files => " STRICT, WITHOUT ROWID",
    };
    let mut sql = format!(
        "CREATE TABLE {name} (\n    {of_user}{{columns of {name}}},\n    PRIMARY KEY ({user}{}){with}\n){how};\n",
        keys.join(", ")
    );
    let led = table.memories().map(|column| vec![column.name]).filter(|columns| keys.first() != columns.first());
    for columns in led.chain(table.indices.iter().map(|columns| columns.to_vec())) {
        let (of, columns) = (columns.join("_"), columns.join(", "));
        // Writing to a string cannot fail.
        let _ = writeln!(sql, "CREATE INDEX {name}_{of} ON {name} ({user}{columns});");
    }
    sql
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_goes_with_its_memories_on_both_backends() {
        let files = Dialect::Files.filled("{declared tables}");
        assert!(files.contains("FOREIGN KEY (to_id) REFERENCES memories (id) ON DELETE CASCADE"), "{files}");
        assert!(files.contains("CREATE INDEX links_to_id ON links (to_id);"), "{files}");
        assert!(!files.contains("links_from_id"), "the key leads to it: {files}");
        let database = Dialect::Database.filled("{declared tables}");
        assert!(database.contains("(user_id, from_id) REFERENCES memories (user_id, id)"), "{database}");
        assert!(database.contains("PRIMARY KEY (user_id, from_id, relation, to_id)"), "{database}");
        assert!(database.contains("evidence bytea"), "{database}");
    }
}
