//! Checks of the catalog: all tables of users can be distributed by user, and all have row-level security.

use kimberly_store::conformance::database::spread_tables;

use crate::postgres::common::{Database, texts};

/// Tables with users' rows that are read across users, so that row-level security would be in the way.
const ACROSS: &str = "'users', 'outbox_marks', 'purges', 'moved_users'";

/// The first column of every primary key, unique constraint and index of a user's table is the user.
#[tokio::test]
async fn the_user_leads_every_key_of_what_is_a_users() {
    let database = Database::make().await;
    let _store = database.store().await;
    let conn = &mut database.connect().await;
    let led_by_another = format!(
        "SELECT i.indexrelid::regclass::text FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid \
         JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0] \
         WHERE c.relnamespace = 'kimberly'::regnamespace AND c.relname NOT IN ({ACROSS}) AND a.attname <> 'user_id' \
         AND EXISTS (SELECT 1 FROM pg_attribute u WHERE u.attrelid = c.oid AND u.attname = 'user_id')"
    );
    assert_eq!(texts(conn, &led_by_another).await, [""; 0]);
    let without_key = "SELECT c.relname::text FROM pg_class c WHERE c.relnamespace = 'kimberly'::regnamespace \
         AND c.relkind IN ('r', 'p') AND c.relname <> 'schema_version' \
         AND NOT EXISTS (SELECT 1 FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary)";
    assert_eq!(texts(conn, without_key).await, [""; 0]);
    let keys = "SELECT i.indexrelid::regclass::text FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid \
         WHERE c.relnamespace = 'kimberly'::regnamespace AND i.indisunique AND i.indkey[0] = (SELECT attnum \
         FROM pg_attribute u WHERE u.attrelid = c.oid AND u.attname = 'user_id')";
    assert!(texts(conn, keys).await.len() > 20, "the catalog was not asked what it should be");
}

/// Every search of such an index reads its GIN pending list, shared by all users.
#[tokio::test]
async fn the_pending_list_of_the_word_index_stays_small() {
    let database = Database::make().await;
    let _store = database.store().await;
    let conn = &mut database.connect().await;
    let lists = "SELECT c.relname || ' ' || coalesce(array_to_string(c.reloptions, ' '), 'as Postgres has it') \
         FROM pg_class c JOIN pg_am a ON a.oid = c.relam WHERE a.amname = 'gin' \
         AND c.relnamespace = 'kimberly'::regnamespace ORDER BY c.relname";
    let bounded = [
        "memories_content gin_pending_list_limit=1024",
        "memories_indexed gin_pending_list_limit=256",
        "memories_texts gin_pending_list_limit=1024",
    ];
    assert_eq!(texts(conn, lists).await, bounded);
}

/// The first column of every foreign key is the user, on both sides.
#[tokio::test]
async fn the_user_leads_both_ends_of_every_foreign_key() {
    let database = Database::make().await;
    let _store = database.store().await;
    let conn = &mut database.connect().await;
    let sql = "SELECT f.attname || ' -> ' || t.attname FROM pg_constraint k \
         JOIN pg_attribute f ON f.attrelid = k.conrelid AND f.attnum = k.conkey[1] \
         JOIN pg_attribute t ON t.attrelid = k.confrelid AND t.attnum = k.confkey[1] \
         WHERE k.contype = 'f' AND k.connamespace = 'kimberly'::regnamespace";
    let led = texts(conn, sql).await;
    assert!(!led.is_empty() && led.iter().all(|pair| pair == "user_id -> user_id"), "{led:?}");
}

/// Every table with a user has row-level security, forced for the owner too, with one policy for all commands.
#[tokio::test]
async fn every_table_of_users_is_under_row_level_security() {
    let database = Database::make().await;
    let _store = database.store().await;
    let conn = &mut database.connect().await;
    let of_users = format!(
        "FROM pg_class c JOIN pg_attribute u ON u.attrelid = c.oid AND u.attname = 'user_id' \
         WHERE c.relnamespace = 'kimberly'::regnamespace AND c.relkind IN ('r', 'p') AND c.relname NOT IN ({ACROSS})"
    );
    let open = format!("SELECT c.relname::text {of_users} AND NOT (c.relrowsecurity AND c.relforcerowsecurity)");
    assert_eq!(texts(conn, &open).await, [""; 0]);
    let policies = format!(
        "SELECT (SELECT string_agg(p.polcmd::text || ' ' || pg_get_expr(p.polqual, p.polrelid), ', ') FROM pg_policy p \
         WHERE p.polrelid = c.oid AND p.polname = 'of_user') {of_users}"
    );
    let policies = texts(conn, &policies).await;
    assert!(policies.len() > 15, "{policies:?}");
    let expected = "* (user_id = current_setting('kimberly.user_id'::text, true))";
    assert!(policies.iter().all(|policy| policy == expected), "{policies:?}");
}

/// Where each table lies on Citus is declared.
#[tokio::test]
async fn every_table_declares_where_it_lies_on_citus() {
    let database = Database::make().await;
    let _store = database.store().await;
    let conn = &mut database.connect().await;
    let tables = "SELECT c.relname::text FROM pg_class c WHERE c.relnamespace = 'kimberly'::regnamespace \
         AND c.relkind IN ('r', 'p') AND NOT c.relispartition ORDER BY 1";
    let mut declared = spread_tables();
    declared.sort_unstable();
    let names: Vec<_> = declared.iter().map(|(name, _)| *name).collect();
    assert_eq!(texts(conn, tables).await, names);
    let with_user = format!(
        "SELECT c.relname::text FROM pg_class c JOIN pg_attribute u ON u.attrelid = c.oid AND u.attname = 'user_id' \
         WHERE c.relnamespace = 'kimberly'::regnamespace AND c.relkind IN ('r', 'p') AND c.relname NOT IN ({ACROSS}) ORDER BY 1"
    );
    let by_user: Vec<_> = declared.iter().filter(|(_, by_user)| *by_user).map(|(name, _)| *name).collect();
    assert_eq!(texts(conn, &with_user).await, by_user);
}

/// Texts are compared bytewise, whatever the database's default collation.
#[tokio::test]
async fn every_key_of_text_is_compared_byte_by_byte() {
    let database = Database::make().await;
    let _store = database.store().await;
    let sql = "SELECT i.indexrelid::regclass::text FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid \
         WHERE c.relnamespace = 'kimberly'::regnamespace AND EXISTS (SELECT 1 FROM unnest(i.indcollation) AS used (oid) \
         WHERE used.oid <> 0 AND used.oid <> (SELECT oid FROM pg_collation WHERE collname = 'C'))";
    assert_eq!(texts(&mut database.connect().await, sql).await, [""; 0]);
}
