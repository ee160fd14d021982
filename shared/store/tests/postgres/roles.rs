//! The processes' role sees one user's rows at a time, and an operator who granted too little or too much gets
//! instructions.

use std::sync::Arc;

use kimberly_core::error::Error;
use kimberly_store::conformance::fixtures::draft;
use kimberly_store::{PgOptions, PgStore};
use sqlx::postgres::PgConnection;

use crate::postgres::common::{APP, Database, OWNER, Still, bed, number, run, texts, try_run};

/// Returns the message of a refused opening.
async fn refused(options: PgOptions) -> String {
    match PgStore::open(options, Arc::new(Still)).await.unwrap_err() {
        Error::Storage { detail, .. } => detail,
        other => other.to_string(),
    }
}

async fn code_of(conn: &mut PgConnection, sql: &str) -> String {
    let error = try_run(conn, sql).await.unwrap_err();
    error.as_database_error().and_then(sqlx::error::DatabaseError::code).unwrap_or_default().into_owned()
}

/// Statements that name no user see and change only the rows of the transaction's user; without a user, none. Applies
/// to all tables except `but`.
async fn see_one_user_at_a_time(database: &Database, role: &str, but: &[&str]) {
    let bed = bed(PgStore::open(database.options(), Arc::new(Still)).await.unwrap(), ());
    for who in ["ada", "bob"] {
        bed.remember(who, ["one", "two"].map(draft)).await;
    }
    let conn = &mut database.connect_as(role).await;
    run(conn, "SET search_path = kimberly").await;
    let tables = "SELECT relname::text FROM pg_class WHERE relnamespace = 'kimberly'::regnamespace AND (relrowsecurity OR relkind = 'v')";
    for table in texts(conn, tables).await.iter().filter(|table| !but.contains(&table.as_str())) {
        assert_eq!(number(conn, &format!("SELECT count(*) FROM {table}")).await, 0, "{table}");
        run(conn, "BEGIN; SET LOCAL kimberly.user_id = 'ada'").await;
        let others = format!("SELECT count(*) FROM {table} WHERE user_id <> 'ada'");
        assert_eq!(number(conn, &others).await, 0, "{table}");
        run(conn, "ROLLBACK").await;
    }
    run(conn, "BEGIN; SET LOCAL kimberly.user_id = 'ada'").await;
    assert_eq!(number(conn, "SELECT count(*) FROM searched").await, 2);
    assert_eq!(try_run(conn, "UPDATE memories SET score = 0").await.unwrap(), 2);
    assert_eq!(try_run(conn, "DELETE FROM memories").await.unwrap(), 2);
    run(conn, "ROLLBACK; BEGIN; SET LOCAL kimberly.user_id = 'ada'").await;
    assert_eq!(code_of(conn, "INSERT INTO goals VALUES ('bob', gen_random_uuid(), 'active', 0, '')").await, "42501");
    run(conn, "ROLLBACK; BEGIN; SET LOCAL kimberly.user_id = 'ada'").await;
    assert_eq!(code_of(conn, "UPDATE memories SET user_id = 'bob'").await, "42501");
    run(conn, "ROLLBACK").await;
    // The user setting ends with its transaction.
    assert_eq!(number(conn, "SELECT count(*) FROM searched").await, 0);
    assert_eq!(bed.usage("bob").await.created, 2);
}

#[tokio::test]
async fn the_role_of_the_processes_sees_one_user_at_a_time() {
    see_one_user_at_a_time(&Database::make().await, APP, &[]).await;
}

/// Except for reading memories, because searches use a view of the owner.
#[tokio::test]
async fn an_owner_of_the_tables_changes_the_rows_of_one_user_at_a_time() {
    let database = Database::make_with(&format!("OWNER {OWNER}")).await;
    // The one extension that an owner cannot create; without it, a more powerful role would create the tables that need it.
    run(&mut database.connect().await, "CREATE EXTENSION vector SCHEMA public").await;
    drop(PgStore::open(PgOptions::new(database.url_as(OWNER)), Arc::new(Still)).await.unwrap());
    let owners = "SELECT DISTINCT tableowner::text FROM pg_tables WHERE schemaname = 'kimberly'";
    assert_eq!(texts(&mut database.connect().await, owners).await, [OWNER]);
    see_one_user_at_a_time(&database, OWNER, &["memories"]).await;
}

/// The role may read and write rows, but not touch tables, policies or settings.
#[tokio::test]
async fn the_role_of_the_processes_may_do_no_more_than_it_needs() {
    let database = Database::make().await;
    drop(database.store().await);
    let conn = &mut database.connect_as(APP).await;
    for sql in [
        "TRUNCATE kimberly.memories",
        "DROP TABLE kimberly.memories",
        "ALTER TABLE kimberly.memories DISABLE ROW LEVEL SECURITY",
        "DROP POLICY of_user ON kimberly.memories",
        "CREATE TABLE kimberly.more (id bigint)",
        "UPDATE kimberly.schema_version SET version = 9",
        "SET row_security = off; SELECT count(*) FROM kimberly.memories",
    ] {
        assert_eq!(code_of(conn, sql).await, "42501", "{sql}");
    }
}

/// Enough memories for an index to pay: 40 users with 500 each.
const MANY: &str = "INSERT INTO kimberly.memories (user_id, seq, id, tier, state, created_at, traits, words, score, \
         size_bytes, protected, sensitive, source, scope, created_by, consent, sentiment, updated_at, last_seen_at, \
         schema_version, content, tokens, namespace, withheld, embed, epoch, life, helpful, unhelpful, access_count, \
         revision, importance, confidence, verification_count, tags, indexed) \
     SELECT CASE u WHEN 1 THEN 'ada' ELSE 'user ' || u END, s, gen_random_uuid(), 0, 0, s, 0, 2, 0.5, 9, false, false, \
         0, 0, 0, false, 0, s, s, 1, 'walrus ' || s, 2, 0, 0, 0, -1, 0, 0, 0, 0, 1, 0, 1, 0, '{}', ('walrus' || s || ' w' || s % 7)::tsvector \
     FROM generate_series(1, 40) AS u (u), generate_series(1, 500) AS s (s); ANALYZE kimberly.memories";

/// A search uses the index instead of reading all of the user's memories, although row-level security makes Postgres
/// distrust both conditions.
#[tokio::test]
async fn a_search_is_answered_from_the_index_under_row_level_security() {
    let database = Database::make_with(&format!("OWNER {OWNER}")).await;
    let options = PgOptions { owner_url: Some(database.url_as(OWNER)), ..PgOptions::new(database.url_as(APP)) };
    drop(PgStore::open(options, Arc::new(Still)).await.unwrap());
    run(&mut database.connect().await, MANY).await;
    let conn = &mut database.connect_as(APP).await;
    run(conn, "SET search_path = kimberly, public; SET kimberly.user_id = 'ada'").await;
    for condition in ["indexed @@ '''walrus77'''::tsquery", "content ILIKE '%rus 77%'"] {
        let explain = |from: &str| format!("EXPLAIN SELECT seq FROM {from} WHERE user_id = 'ada' AND {condition}");
        let is_asked = |plan: Vec<String>| {
            let operator = if condition.contains("@@") { "@@" } else { "~~*" };
            plan.iter().any(|line| line.contains("Index Cond") && line.contains(operator))
        };
        assert!(is_asked(texts(conn, &explain("searched")).await), "{condition}");
        assert!(
            !is_asked(texts(conn, &explain("memories")).await),
            "{condition}: then the view is not needed any more"
        );
    }
}

#[tokio::test]
async fn a_role_that_may_not_make_the_schema_is_advised_to_name_its_owner() {
    let database = Database::make().await;
    let detail = refused(PgOptions::new(database.url_as(APP))).await;
    assert!(detail.contains(APP) && detail.contains("may not create or change the schema kimberly"), "{detail}");
}

#[tokio::test]
async fn a_role_without_grants_is_refused_with_what_to_grant() {
    let database = Database::make().await;
    drop(PgStore::open(PgOptions::new(database.url()), Arc::new(Still)).await.unwrap());
    let detail = refused(PgOptions::new(database.url_as(APP))).await;
    assert!(detail.contains("lacks USAGE on SCHEMA \"kimberly\"") && detail.contains("GRANT"), "{detail}");
    run(&mut database.connect().await, &format!("GRANT USAGE ON SCHEMA kimberly TO {APP}")).await;
    let detail = refused(PgOptions::new(database.url_as(APP))).await;
    assert!(detail.contains("lacks SELECT, INSERT, UPDATE, DELETE on \"kimberly\".\"attached\""), "{detail}");
    drop(database.store().await);
    PgStore::open(PgOptions::new(database.url_as(APP)), Arc::new(Still)).await.unwrap();
}

#[tokio::test]
async fn an_extension_that_may_not_be_made_is_named() {
    let database = Database::make().await;
    let conn = &mut database.connect().await;
    // The owner was granted only a schema.
    run(conn, &format!("CREATE SCHEMA kimberly AUTHORIZATION {OWNER}")).await;
    let detail = refused(PgOptions::new(database.url_as(OWNER))).await;
    assert!(detail.contains(OWNER) && detail.contains("run CREATE EXTENSION btree_gin SCHEMA public"), "{detail}");
    run(conn, "CREATE SCHEMA theirs; CREATE EXTENSION btree_gin SCHEMA theirs; CREATE EXTENSION pg_trgm SCHEMA theirs")
        .await;
    run(conn, &format!("GRANT USAGE ON SCHEMA theirs TO {OWNER}")).await;
    PgStore::open(PgOptions::new(database.url_as(OWNER)), Arc::new(Still)).await.unwrap();
}

#[tokio::test]
async fn a_login_that_fails_says_why_without_the_password() {
    let database = Database::make().await;
    let url = database.url_as(APP).replace(database.name(), "no_such_database");
    let detail = refused(PgOptions::new(url)).await;
    assert!(detail.contains("refuses Kimberly") && detail.contains("no_such_database"), "{detail}");
    let detail = refused(PgOptions::new(database.url_as("nobody_of_this_name"))).await;
    assert!(detail.contains("nobody_of_this_name") && !detail.contains("for%20tests"), "{detail}");
}

#[tokio::test]
async fn a_database_that_cannot_hold_every_text_is_refused() {
    let database = Database::make_with("ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0").await;
    let detail = refused(PgOptions::new(database.url())).await;
    assert!(detail.contains("LATIN1") && detail.contains("UTF8"), "{detail}");
}
