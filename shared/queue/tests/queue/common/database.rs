//! A Postgres database for a test, gone when the test is over.

use std::str::FromStr as _;
use std::sync::atomic::{AtomicU32, Ordering};

use kimberly_queue::PgQueueOptions;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _, Executor as _};

/// A role that owns nothing, as processes are to have; it may log in.
pub const APP: &str = "kimberly_test_app";
/// A role that may own databases, and no more.
pub const OWNER: &str = "kimberly_test_owner";
/// What both log in with, where the server asks for it.
pub const PASSWORD: &str = "for tests alone";

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

    /// Makes one with more to say about it, such as `OWNER someone`.
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

    /// Its name.
    pub fn name(&self) -> &str {
        self.how.get_database().unwrap()
    }

    /// Where its server listens.
    pub fn server(&self) -> (String, u16) {
        (self.how.get_host().to_owned(), self.how.get_port())
    }

    /// Its address for the account that the tests have, which is a superuser's.
    pub fn url(&self) -> String {
        self.how.to_url_lossy().to_string()
    }

    /// Its address for a role.
    pub fn url_as(&self, role: &str) -> String {
        self.how.clone().username(role).password(PASSWORD).to_url_lossy().to_string()
    }

    /// Its address for the processes, at another port of this machine.
    pub fn url_at(&self, port: u16) -> String {
        let how = self.how.clone().username(APP).password(PASSWORD);
        how.host("127.0.0.1").port(port).to_url_lossy().to_string()
    }

    /// A connection that finds apalis's tables.
    pub async fn connect(&self) -> PgConnection {
        Box::pin(PgConnection::connect_with(&self.how.clone().options([("search_path", "apalis,public")])))
            .await
            .unwrap()
    }

    /// Options as they are to be: one role owns the tables, another works.
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
        // A runtime cannot wait within another one.
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
