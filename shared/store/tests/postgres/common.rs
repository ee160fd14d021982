//! What the tests of this backend share.

use kimberly_store::PgStore;
use kimberly_store::conformance::Bed;
pub(crate) use kimberly_store::conformance::database::{APP, Database, OWNER, Still};
use sqlx::postgres::PgConnection;
use sqlx::{AssertSqlSafe, Executor as _};

/// Runs statements.
pub(crate) async fn run(conn: &mut PgConnection, sql: &str) {
    try_run(conn, sql).await.unwrap();
}

/// Runs statements, which may fail.
pub(crate) async fn try_run(conn: &mut PgConnection, sql: &str) -> Result<u64, sqlx::Error> {
    conn.execute(sqlx::raw_sql(AssertSqlSafe(sql.to_owned()))).await.map(|done| done.rows_affected())
}

/// The only value of the only row.
pub(crate) async fn number(conn: &mut PgConnection, sql: &str) -> i64 {
    sqlx::query_scalar(AssertSqlSafe(sql.to_owned())).fetch_one(conn).await.unwrap()
}

/// The only column of all rows.
pub(crate) async fn texts(conn: &mut PgConnection, sql: &str) -> Vec<String> {
    sqlx::query_scalar(AssertSqlSafe(sql.to_owned())).fetch_all(conn).await.unwrap()
}

/// An empty store in a database of its own, whose role is held to the rows of one user at a time.
pub(crate) async fn open() -> Bed {
    let database = Database::make().await;
    bed(database.store().await, database)
}

/// What the suite asks for, and what must live as long.
pub(crate) fn bed(store: PgStore, keep: impl Send + Sync + 'static) -> Bed {
    Bed {
        vaults: store.vaults(),
        registry: store.registry(),
        credentials: store.credentials(),
        purges: store.purges(),
        audit: store.audit(),
        keep: Box::new((store, keep)),
    }
}
