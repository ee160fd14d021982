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

/// Tables with texts of pages, which should not be stored with the key.
const LONG: &[&str] = &["versions", "passages"];

/// Returns the statements that create tables that are missing, with keys and cascades from memories. A database gets the indices, too;
/// a file gets them with the first row of their table.
pub(crate) fn created(dialect: Dialect) -> String {
    let of = |table| match dialect {
        Dialect::Files => of(dialect, table),
        Dialect::Database => of(dialect, table) + &indices(dialect, table),
    };
    ALL.iter().copied().map(of).collect()
}

/// Returns the statements that create the indices of a table in a file, if they are missing.
pub(crate) fn late_indices(name: &str) -> Option<String> {
    ALL.iter().find(|table| table.name == name).map(|table| indices(Dialect::Files, table))
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
        Dialect::Files if LONG.contains(&name) => " STRICT",
        Dialect::Files => " STRICT, WITHOUT ROWID",
    };
    format!(
        "CREATE TABLE IF NOT EXISTS {name} (\n    {of_user}{{columns of {name}}},\n    PRIMARY KEY ({user}{}){with}\n){how};\n",
        keys.join(", ")
    )
}

fn indices(dialect: Dialect, table: &tables::Table) -> String {
    let user = if dialect == Dialect::Database { "user_id, " } else { "" };
    let key = table.key().first().map(|column| column.name);
    let led = table.memories().map(|column| vec![column.name]).filter(|columns| key != columns.first().copied());
    led.chain(table.indices.iter().map(|columns| columns.to_vec())).fold(String::new(), |mut sql, columns| {
        let (of, columns, name) = (columns.join("_"), columns.join(", "), table.name);
        // Writing to a string cannot fail.
        let _ = writeln!(sql, "CREATE INDEX IF NOT EXISTS {name}_{of} ON {name} ({user}{columns});");
        sql
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_goes_with_its_memories_on_both_backends() {
        let files = Dialect::Files.filled("{declared tables}");
        assert!(files.contains("FOREIGN KEY (to_id) REFERENCES memories (id) ON DELETE CASCADE"), "{files}");
        assert!(!files.contains("CREATE INDEX"), "{files}");
        let late = late_indices("links").unwrap();
        assert_eq!(late, "CREATE INDEX IF NOT EXISTS links_to_id ON links (to_id);\n", "the key leads to from_id");
        let database = Dialect::Database.filled("{declared tables}");
        assert!(database.contains("CREATE INDEX IF NOT EXISTS links_to_id ON links (user_id, to_id);"), "{database}");
        assert!(database.contains("(user_id, from_id) REFERENCES memories (user_id, id)"), "{database}");
        assert!(database.contains("PRIMARY KEY (user_id, from_id, relation, to_id)"), "{database}");
        assert!(database.contains("evidence bytea"), "{database}");
    }
}
