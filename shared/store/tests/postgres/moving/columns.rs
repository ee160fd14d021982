//! Every table and column of the database is moved, or listed here as not moved.

use std::collections::BTreeMap;

use kimberly_store::moving::moved_columns;

use crate::postgres::common::{Database, texts};

/// Moved as single values and counters of a vault; the system audit's own row; keys, which are copied separately; state
/// that a worker derives again; records of moves; vectors, which are derived; working memory, which is ephemeral.
const OTHERS: [&str; 11] = [
    "vaults",
    "system_audit_log",
    "wrapped_keys",
    "moves",
    "moved_users",
    "schema_version",
    "vectors",
    "vector_users",
    "vector_indices",
    "vector_graphs",
    "working",
];
/// The full-text index, which is derived.
const DERIVED: [&str; 2] = ["memories.indexed", "memories.tokens"];

#[tokio::test]
async fn no_table_and_no_column_is_forgotten() {
    let database = Database::make().await;
    drop(database.store().await);
    let sql = "SELECT c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod) \
         || CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END \
         FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid \
         WHERE c.relnamespace = 'kimberly'::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped";
    let mut found = BTreeMap::<String, Vec<String>>::new();
    for qualified in texts(&mut database.connect().await, sql).await {
        let (table, column) = qualified.split_once('.').unwrap();
        let (name, _) = column.split_once(' ').unwrap();
        if !OTHERS.contains(&table) && !DERIVED.contains(&format!("{table}.{name}").as_str()) {
            found.entry(table.to_owned()).or_default().push(column.to_owned());
        }
    }
    let moved: BTreeMap<_, _> = moved_columns().into_iter().collect();
    assert_eq!(found.keys().map(String::as_str).collect::<Vec<_>>(), moved.keys().copied().collect::<Vec<_>>());
    for (table, mut columns) in found {
        let known = &moved[table.as_str()];
        // In most tables `user_id` precedes the moved columns; in some it is one of them.
        if !known.iter().any(|(name, _)| *name == "user_id") {
            columns.retain(|column| !column.starts_with("user_id "));
        }
        let mut known: Vec<_> = known.iter().map(|(_, shown)| shown.clone()).collect();
        columns.sort();
        known.sort();
        assert_eq!(known, columns, "{table}");
    }
}
