//! Whatever lies in the database is moved, or known not to be.

use std::collections::BTreeMap;

use kimberly_store::moving::moved_columns;

use crate::postgres::common::{Database, texts};

/// In the head and the counters of a vault; about the audit of the system; keys, which are copied apart; what a worker finds out
/// anew; moves themselves; vectors, which are derived.
const OTHERS: [&str; 11] = [
    "vaults",
    "system_audit_log",
    "wrapped_keys",
    "all_sealed",
    "moves",
    "moved_users",
    "schema_version",
    "vectors",
    "vector_users",
    "vector_indices",
    "vector_graphs",
];
/// The full-text index, which is derived.
const DERIVED: [&str; 2] = ["memories.indexed", "memories.tokens"];

#[tokio::test]
async fn no_table_and_no_column_is_forgotten() {
    let database = Database::make().await;
    drop(database.store().await);
    let sql = "SELECT c.table_name || '.' || c.column_name FROM information_schema.columns c \
         JOIN information_schema.tables t USING (table_schema, table_name) \
         WHERE c.table_schema = 'kimberly' AND t.table_type = 'BASE TABLE'";
    let mut found = BTreeMap::<String, Vec<String>>::new();
    for name in texts(&mut database.connect().await, sql).await {
        let (table, column) = name.split_once('.').unwrap();
        if !OTHERS.contains(&table) && !DERIVED.contains(&name.as_str()) {
            found.entry(table.to_owned()).or_default().push(column.to_owned());
        }
    }
    let moved: BTreeMap<_, _> = moved_columns().into_iter().collect();
    assert_eq!(found.keys().map(String::as_str).collect::<Vec<_>>(), moved.keys().copied().collect::<Vec<_>>());
    for (table, mut columns) in found {
        let mut known = moved[table.as_str()].clone();
        // Of most tables it is in front of the rest, and of some a column like the others.
        if !known.contains(&"user_id") {
            columns.retain(|column| column != "user_id");
        }
        columns.sort();
        known.sort_unstable();
        assert_eq!(known, columns, "{table}");
    }
}
