//! Whatever lies in the database is moved, or known not to be.

use std::collections::BTreeMap;

use kimberly_store::moving::moved_columns;

use crate::postgres::common::{Database, texts};

/// In the head and the counters of a vault; about the audit of the system; keys, which are copied apart; what a worker finds out
/// again; moves themselves; vectors, which are derived; working memory, which is ephemeral.
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
    for place in texts(&mut database.connect().await, sql).await {
        let (table, column) = place.split_once('.').unwrap();
        let (name, _) = column.split_once(' ').unwrap();
        if !OTHERS.contains(&table) && !DERIVED.contains(&format!("{table}.{name}").as_str()) {
            found.entry(table.to_owned()).or_default().push(column.to_owned());
        }
    }
    let moved: BTreeMap<_, _> = moved_columns().into_iter().collect();
    assert_eq!(found.keys().map(String::as_str).collect::<Vec<_>>(), moved.keys().copied().collect::<Vec<_>>());
    for (table, mut columns) in found {
        let known = &moved[table.as_str()];
        // Of most tables it is in front of the rest, and of some a column like the others.
        if !known.iter().any(|(name, _)| *name == "user_id") {
            columns.retain(|column| !column.starts_with("user_id "));
        }
        let mut known: Vec<_> = known.iter().map(|(_, shown)| shown.clone()).collect();
        columns.sort();
        known.sort();
        assert_eq!(known, columns, "{table}");
    }
}
