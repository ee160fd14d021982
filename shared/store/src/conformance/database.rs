//! A database of a test's own, on the server that tests work with, and roles as they are to be.

use std::str::FromStr as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use kimberly_core::Timestamp;
use kimberly_core::ports::Clock;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _, Executor as _};
use tokio::sync::OnceCell;

use super::fixtures::START;
use crate::{PgOptions, PgStore};

/// A clock that stands still.
pub struct Still;

impl Clock for Still {
    fn now(&self) -> Timestamp {
        START
    }
}

/// A role that owns nothing and is held to the rows of one user at a time, as processes are to have; it may log in.
pub const APP: &str = "kimberly_test_app";
/// A role that may own databases, and no more.
pub const OWNER: &str = "kimberly_test_owner";
/// What both log in with, where the server asks for it.
pub const PASSWORD: &str = "for tests alone";

/// What is missing.
const UNNAMED: &str =
    "KIMBERLY_TEST_POSTGRES names no server: tests/run starts one, and tests/postgres/start does so by hand";
/// Of several that make the roles at once, one does.
const ROLES: &str = "SELECT pg_advisory_xact_lock(6174); \
     DO $$ DECLARE one text; BEGIN \
         FOREACH one IN ARRAY ARRAY['kimberly_test_app', 'kimberly_test_owner'] LOOP \
             IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = one) THEN \
                 EXECUTE format('CREATE ROLE %I LOGIN NOSUPERUSER NOBYPASSRLS PASSWORD %L', one, 'for tests alone'); \
             END IF; \
         END LOOP; \
     END $$";

/// A database of its own.
pub struct Database {
    how: PgConnectOptions,
}

impl Database {
    /// Makes one, empty, of the account that the tests have.
    pub async fn make() -> Self {
        Self::make_with("").await
    }

    /// Makes one with the tables of a store and no rows: a copy of one that this process has made, which takes a fifth of the time.
    pub async fn with_tables() -> Self {
        static TEMPLATE: OnceCell<Database> = OnceCell::const_new();
        let template = TEMPLATE.get_or_init(|| async {
            let made = Self::make().await;
            made.store().await.vaults().close().await;
            made
        });
        Self::make_with(&format!("TEMPLATE {}", template.await.name())).await
    }

    /// Makes one with more to say about it, such as `OWNER someone`.
    pub async fn make_with(options: &str) -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let server = std::env::var("KIMBERLY_TEST_POSTGRES").unwrap_or_else(|_| panic!("{UNNAMED}"));
        let name = format!("t{}_{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let how = PgConnectOptions::from_str(&server).unwrap();
        let mut conn = Box::pin(PgConnection::connect_with(&how)).await.unwrap();
        run(&mut conn, ROLES).await;
        run(&mut conn, &format!("DROP DATABASE IF EXISTS {name}")).await;
        run(&mut conn, &format!("CREATE DATABASE {name} {options}")).await;
        conn.close().await.unwrap();
        Self { how: how.database(&name) }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        self.how.get_database().unwrap()
    }

    /// Its address for the account that the tests have, which is a superuser's.
    pub fn url(&self) -> String {
        self.how.to_url_lossy().to_string()
    }

    /// Its address for a role.
    pub fn url_as(&self, role: &str) -> String {
        self.how.clone().username(role).password(PASSWORD).to_url_lossy().to_string()
    }

    /// A connection to it.
    pub async fn connect(&self) -> PgConnection {
        Box::pin(PgConnection::connect_with(&self.how)).await.unwrap()
    }

    /// A connection of a role.
    pub async fn connect_as(&self, role: &str) -> PgConnection {
        Box::pin(PgConnection::connect_with(&self.how.clone().username(role).password(PASSWORD))).await.unwrap()
    }

    /// Runs statements as the account that the tests have.
    pub async fn run(&self, sql: &str) {
        run(&mut self.connect().await, sql).await;
    }

    /// Runs statements as a role, in one transaction of a user's rows.
    pub async fn run_as(&self, role: &str, user: &str, sql: &str) {
        let user = user.replace('\'', "''");
        let sql = format!("BEGIN; SET LOCAL kimberly.user_id = '{user}'; {sql}; COMMIT");
        run(&mut self.connect_as(role).await, &sql).await;
    }

    /// The only column of all rows, which is text.
    pub async fn texts(&self, sql: &str) -> Vec<String> {
        let conn = &mut self.connect().await;
        sqlx::query_scalar(AssertSqlSafe(sql.to_owned())).fetch_all(conn).await.unwrap()
    }

    /// Options as they are to be: one role owns the tables, another works.
    pub fn options(&self) -> PgOptions {
        PgOptions { owner_url: Some(self.url()), max_connections: 6, ..PgOptions::new(self.url_as(APP)) }
    }

    /// A store in it.
    pub async fn store(&self) -> PgStore {
        PgStore::open(self.options(), Arc::new(Still)).await.unwrap()
    }
}

async fn run(conn: &mut PgConnection, sql: &str) {
    conn.execute(sqlx::raw_sql(AssertSqlSafe(sql.to_owned()))).await.unwrap();
}
