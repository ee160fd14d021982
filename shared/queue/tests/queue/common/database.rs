//! A Postgres database for a test, dropped when the test ends.

use std::str::FromStr as _;
use std::sync::atomic::{AtomicU32, Ordering};

use kimberly_queue::PgQueueOptions;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _, Executor as _};

/// A role that owns nothing, like that of the processes; it may log in.
pub const APP: &str = "kimberly_test_app";
/// A role that may own databases and nothing else.
pub const OWNER: &str = "kimberly_test_owner";
/// The password of both, if the server asks for one.
pub const PASSWORD: &str = "for tests alone";

/// A lock serializes this, since tests create the roles concurrently.
const ROLES: &str = "SELECT pg_advisory_xact_lock(6174); \
     DO $$ DECLARE one text; BEGIN \
         FOREACH one IN ARRAY ARRAY['kimberly_test_app', 'kimberly_test_owner'] LOOP \
             IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = one) THEN \
                 EXECUTE format('CREATE ROLE %I LOGIN NOSUPERUSER NOBYPASSRLS PASSWORD %L', one, 'for tests alone'); \
             END IF; \
         END LOOP; \
     END $$";

/// A database for one test.
pub struct Database {
    how: PgConnectOptions,
}

impl Database {
    /// Creates an empty database, owned by the tests' account.
    pub async fn make() -> Self {
        Self::make_with("").await
    }

    /// Creates a database with options, such as `OWNER someone`.
    pub async fn make_with(options: &str) -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let name = format!("q{}_{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let how = server();
        let mut conn = Box::pin(PgConnection::connect_with(&how)).await.unwrap();
        run(&mut conn, ROLES).await;
        run(&mut conn, &format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).await;
        run(&mut conn, &format!("CREATE DATABASE {name} {options}")).await;
        conn.close().await.unwrap();
        Self { how: how.database(&name) }
    }

    /// The database's name.
    pub fn name(&self) -> &str {
        self.how.get_database().unwrap()
    }

    /// The host and port of the server.
    pub fn server(&self) -> (String, u16) {
        (self.how.get_host().to_owned(), self.how.get_port())
    }

    /// The URL for the tests' account, a superuser.
    pub fn url(&self) -> String {
        self.how.to_url_lossy().to_string()
    }

    /// The URL for a role.
    pub fn url_as(&self, role: &str) -> String {
        self.how.clone().username(role).password(PASSWORD).to_url_lossy().to_string()
    }

    /// The URL for the processes, at another port of this machine.
    pub fn url_at(&self, port: u16) -> String {
        let how = self.how.clone().username(APP).password(PASSWORD);
        how.host("127.0.0.1").port(port).to_url_lossy().to_string()
    }

    /// A connection with apalis's tables in the search path.
    pub async fn connect(&self) -> PgConnection {
        Box::pin(PgConnection::connect_with(&self.how.clone().options([("search_path", "apalis,public")])))
            .await
            .unwrap()
    }

    /// Options as in production: one role owns the tables, another uses them.
    pub fn options(&self) -> PgQueueOptions {
        PgQueueOptions { owner_url: Some(self.url()), ..PgQueueOptions::new(self.url_as(APP)) }
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let name = self.name().to_owned();
        let drop = async move {
            let mut conn = Box::pin(PgConnection::connect_with(&server())).await?;
            conn.execute(sqlx::raw_sql(AssertSqlSafe(format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")))).await
        };
        // A runtime cannot block within another one.
        let dropped = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(drop)
        });
        let _ = dropped.join();
    }
}

fn server() -> PgConnectOptions {
    let server = std::env::var("KIMBERLY_TEST_POSTGRES").expect(
        "KIMBERLY_TEST_POSTGRES names no server: tests/run starts one, and tests/postgres/start does so by hand",
    );
    PgConnectOptions::from_str(&server).unwrap()
}

/// Runs statements.
pub async fn run(conn: &mut PgConnection, sql: &str) {
    conn.execute(sqlx::raw_sql(AssertSqlSafe(sql.to_owned()))).await.unwrap();
}
