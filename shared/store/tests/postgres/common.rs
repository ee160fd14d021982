//! What the tests of this backend share.

use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use kimberly_core::ports::Clock;
use kimberly_core::time::Timestamp;
use kimberly_store::conformance::Bed;
use kimberly_store::conformance::fixtures::START;
use kimberly_store::{PgOptions, PgStore};
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{AssertSqlSafe, Connection, Executor};

/// A clock that stands still.
pub(crate) struct Still;

impl Clock for Still {
    fn now(&self) -> Timestamp {
        START
    }
}

/// A database of its own.
pub(crate) struct Database {
    /// Its address.
    pub(crate) url: String,
}

impl Database {
    /// Makes one, empty.
    pub(crate) async fn make() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let server = std::env::var("KIMBERLY_TEST_POSTGRES").expect(
            "KIMBERLY_TEST_POSTGRES names no server: tests/run starts one, tests/postgres/start does so by hand",
        );
        let name = format!("t{}_{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let how = PgConnectOptions::from_str(&server).unwrap();
        let mut conn = PgConnection::connect_with(&how).await.unwrap();
        conn.execute(sqlx::raw_sql(AssertSqlSafe(format!("DROP DATABASE IF EXISTS {name}")))).await.unwrap();
        conn.execute(sqlx::raw_sql(AssertSqlSafe(format!("CREATE DATABASE {name}")))).await.unwrap();
        conn.close().await.unwrap();
        let url = how.database(&name).to_url_lossy().to_string();
        Self { url }
    }
}

use sqlx::ConnectOptions as _;

/// An empty store in a database of its own.
pub(crate) async fn open() -> Bed {
    let database = Database::make().await;
    let options = PgOptions { max_connections: 6, ..PgOptions::new(&database.url) };
    bed(PgStore::open(options, Arc::new(Still)).await.unwrap(), database)
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
