//! A separate database per test on the tests' server, and the required roles.

use std::str::FromStr as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use kimberly_core::Timestamp;
use kimberly_core::ports::Clock;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _, Executor as _};
use tokio::sync::OnceCell;

use super::fixtures::START;
use crate::postgres::distribute;
use crate::tables::{Spread, spread};
use crate::{PgOptions, PgStore};

/// A clock that stands still.
pub struct Still;

impl Clock for Still {
    fn now(&self) -> Timestamp {
        START
    }
}

/// A role for processes: it owns nothing, row-level security applies to it, and it may log in.
pub const APP: &str = "kimberly_test_app";
/// A role that may own databases and nothing else.
pub const OWNER: &str = "kimberly_test_owner";
/// The password of both roles, if the server requires one.
pub const PASSWORD: &str = "for tests alone";

/// The error without a test server.
const UNNAMED: &str =
    "KIMBERLY_TEST_POSTGRES names no server: tests/run starts one, and tests/postgres/start does so by hand";
/// Creates the roles under a lock, because tests may do so concurrently.
const ROLES: &str = "SELECT pg_advisory_xact_lock(6174); \
     DO $$ DECLARE one text; BEGIN \
         FOREACH one IN ARRAY ARRAY['kimberly_test_app', 'kimberly_test_owner'] LOOP \
             IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = one) THEN \
                 EXECUTE format('CREATE ROLE %I LOGIN NOSUPERUSER NOBYPASSRLS PASSWORD %L', one, 'for tests alone'); \
             END IF; \
         END LOOP; \
     END $$";

/// The variable that `tests/postgres/citus` sets: each database becomes a Citus of one node then.
const CITUS: &str = "KIMBERLY_TEST_CITUS";

/// A database for one test.
pub struct Database {
    how: PgConnectOptions,
}

impl Database {
    /// Creates an empty database, owned by the tests' account.
    pub async fn make() -> Self {
        Self::make_with("").await
    }

    /// Creates a database with a store's tables and no rows, as a copy of a template of this process, which takes a
    /// fifth of the time. On Citus they are distributed.
    pub async fn with_tables() -> Self {
        static TEMPLATE: OnceCell<Database> = OnceCell::const_new();
        // Citus is connected to every database that has it, so none can be a template.
        if std::env::var_os(CITUS).is_some() {
            let made = Self::make().await;
            distribute(made.options(), 2).await.unwrap();
            return made;
        }
        let template = TEMPLATE.get_or_init(|| async {
            let made = Self::make().await;
            made.store().await.vaults().close().await;
            made
        });
        Self::make_with(&format!("TEMPLATE {}", template.await.name())).await
    }

    /// Creates a database with further options, such as `OWNER someone`.
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
        let made = Self { how: how.database(&name) };
        if std::env::var_os(CITUS).is_some() {
            made.run(&citus(&made.how)).await;
        }
        made
    }

    /// Its name.
    pub fn name(&self) -> &str {
        self.how.get_database().unwrap()
    }

    /// Its address for the tests' account, a superuser.
    pub fn url(&self) -> String {
        self.how.to_url_lossy().to_string()
    }

    /// Its address for a role.
    pub fn url_as(&self, role: &str) -> String {
        self.how.clone().username(role).password(PASSWORD).to_url_lossy().to_string()
    }

    /// Connects to it.
    pub async fn connect(&self) -> PgConnection {
        Box::pin(PgConnection::connect_with(&self.how)).await.unwrap()
    }

    /// Connects as a role.
    pub async fn connect_as(&self, role: &str) -> PgConnection {
        Box::pin(PgConnection::connect_with(&self.how.clone().username(role).password(PASSWORD))).await.unwrap()
    }

    /// Runs statements as the tests' account.
    pub async fn run(&self, sql: &str) {
        run(&mut self.connect().await, sql).await;
    }

    /// Runs statements as a role, in one transaction on a user's rows.
    pub async fn run_as(&self, role: &str, user: &str, sql: &str) {
        let user = user.replace('\'', "''");
        let sql = format!("BEGIN; SET LOCAL kimberly.user_id = '{user}'; {sql}; COMMIT");
        run(&mut self.connect_as(role).await, &sql).await;
    }

    /// Returns the only column, of type text, of all rows.
    pub async fn texts(&self, sql: &str) -> Vec<String> {
        let conn = &mut self.connect().await;
        sqlx::query_scalar(AssertSqlSafe(sql.to_owned())).fetch_all(conn).await.unwrap()
    }

    /// Options as in production: one role owns the tables, another works.
    pub fn options(&self) -> PgOptions {
        PgOptions { owner_url: Some(self.url()), max_connections: 6, ..PgOptions::new(self.url_as(APP)) }
    }

    /// Opens a store in it.
    pub async fn store(&self) -> PgStore {
        PgStore::open(self.options(), Arc::new(Still)).await.unwrap()
    }
}

/// Returns every declared table of a database, and whether Citus spreads it by user.
pub fn spread_tables() -> Vec<(&'static str, bool)> {
    spread().map(|(table, how)| (table, how == Spread::ByUser)).collect()
}

/// Statements that make a database a Citus whose only node is its coordinator, which calls itself as another node.
fn citus(how: &PgConnectOptions) -> String {
    let (port, url) = (how.get_port(), how.to_url_lossy());
    let roles = [(how.get_username(), url.password().unwrap_or_default()), (APP, PASSWORD), (OWNER, PASSWORD)];
    let passwords = roles.map(|(role, word)| format!("(0, '{role}', 'password=''{word}''')")).join(", ");
    format!(
        "ALTER DATABASE {} SET citus.enable_local_execution = off; CREATE EXTENSION citus; \
         INSERT INTO pg_dist_authinfo VALUES {passwords}; \
         SELECT citus_set_coordinator_host('127.0.0.1', {port}); \
         SELECT citus_set_node_property('127.0.0.1', {port}, 'shouldhaveshards', true)",
        how.get_database().unwrap()
    )
}

async fn run(conn: &mut PgConnection, sql: &str) {
    conn.execute(sqlx::raw_sql(AssertSqlSafe(sql.to_owned()))).await.unwrap();
}
