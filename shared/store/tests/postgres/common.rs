//! What the tests of this backend share.

use std::os::unix::fs::DirBuilderExt as _;
use std::path::PathBuf;
use std::str::FromStr as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use kimberly_core::ports::Clock;
use kimberly_core::time::Timestamp;
use kimberly_crypto::{KeyError, KeySources, Keys, Loads, Ring, RingName};
use kimberly_store::conformance::Bed;
use kimberly_store::conformance::fixtures::START;
use kimberly_store::{PgKeyStore, PgOptions, PgStore};
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _, Executor as _};

/// A clock that stands still.
pub(crate) struct Still;

impl Clock for Still {
    fn now(&self) -> Timestamp {
        START
    }
}

/// A role that owns nothing and is held to the rows of one user at a time, as processes are to have; it may log in.
pub(crate) const APP: &str = "kimberly_test_app";
/// A role that may own databases, and no more.
pub(crate) const OWNER: &str = "kimberly_test_owner";
/// What both log in with, where the server asks for it.
pub(crate) const PASSWORD: &str = "for tests alone";

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
pub(crate) struct Database {
    how: PgConnectOptions,
}

impl Database {
    /// Makes one, empty, of the account that the tests have.
    pub(crate) async fn make() -> Self {
        Self::make_with("").await
    }

    /// Makes one with more to say about it, such as `OWNER someone`.
    pub(crate) async fn make_with(options: &str) -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let server = std::env::var("KIMBERLY_TEST_POSTGRES").unwrap_or_else(|_| {
            panic!(
                "KIMBERLY_TEST_POSTGRES names no server: tests/run starts one, and tests/postgres/start does so by hand"
            )
        });
        let name = format!("t{}_{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let how = PgConnectOptions::from_str(&server).unwrap();
        let mut conn = PgConnection::connect_with(&how).await.unwrap();
        run(&mut conn, ROLES).await;
        run(&mut conn, &format!("DROP DATABASE IF EXISTS {name}")).await;
        run(&mut conn, &format!("CREATE DATABASE {name} {options}")).await;
        conn.close().await.unwrap();
        Self { how: how.database(&name) }
    }

    /// Its name.
    pub(crate) fn name(&self) -> &str {
        self.how.get_database().unwrap()
    }

    /// Its address for the account that the tests have, which is a superuser's.
    pub(crate) fn url(&self) -> String {
        self.how.to_url_lossy().to_string()
    }

    /// Its address for a role.
    pub(crate) fn url_as(&self, role: &str) -> String {
        self.how.clone().username(role).password(PASSWORD).to_url_lossy().to_string()
    }

    /// A connection to it.
    pub(crate) async fn connect(&self) -> PgConnection {
        PgConnection::connect_with(&self.how).await.unwrap()
    }

    /// A connection of a role.
    pub(crate) async fn connect_as(&self, role: &str) -> PgConnection {
        PgConnection::connect_with(&self.how.clone().username(role).password(PASSWORD)).await.unwrap()
    }

    /// Options as they are to be: one role owns the tables, another works.
    pub(crate) fn options(&self) -> PgOptions {
        PgOptions { owner_url: Some(self.url()), max_connections: 6, ..PgOptions::new(self.url_as(APP)) }
    }

    /// A store in it.
    pub(crate) async fn store(&self) -> PgStore {
        PgStore::open(self.options(), Arc::new(Still)).await.unwrap()
    }
}

/// A machine with a data folder and a folder of rings of its own.
pub(crate) struct Machine {
    root: tempfile::TempDir,
}

impl Machine {
    /// One that was never started.
    pub(crate) fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join("data")).unwrap();
        Self { root }
    }

    /// Another one, which has the rings of the first.
    pub(crate) fn with_rings_of(other: &Self) -> Self {
        let machine = Self::new();
        let rings = machine.root.path().join("rings");
        std::fs::DirBuilder::new().mode(0o700).create(&rings).unwrap();
        for ring in [RingName::Master, RingName::Sensitive] {
            std::fs::copy(other.ring(ring), machine.ring(ring)).unwrap();
        }
        machine
    }

    /// The file of a ring.
    pub(crate) fn ring(&self, ring: RingName) -> PathBuf {
        self.root.path().join(format!("rings/{ring}.key"))
    }

    /// Adds a fresh key to a ring.
    pub(crate) fn add_key(&self, ring: RingName) {
        let (_, text) = Ring::generate().unwrap();
        std::fs::write(self.ring(ring), std::fs::read_to_string(self.ring(ring)).unwrap() + &text).unwrap();
    }

    /// Removes all keys of a ring but the last.
    pub(crate) fn remove_old_keys(&self, ring: RingName) {
        let text = std::fs::read_to_string(self.ring(ring)).unwrap();
        std::fs::write(self.ring(ring), text.trim_end().lines().last().unwrap()).unwrap();
    }

    /// The keys in a database.
    pub(crate) fn keys(&self, database: &Database, loads: Loads) -> Keys {
        self.try_keys(database, loads).unwrap()
    }

    /// The same, unless the machine is refused.
    pub(crate) fn try_keys(&self, database: &Database, loads: Loads) -> Result<Keys, KeyError> {
        let table = Arc::new(PgKeyStore::open(database.options()).unwrap());
        Keys::open_in(&self.data(), &self.sources(), loads, table)
    }

    /// Keys in its own data folder.
    pub(crate) fn keys_in_files(&self) -> Keys {
        Keys::open(&self.data(), &self.sources(), Loads::Both).unwrap()
    }

    /// Its data folder.
    pub(crate) fn data(&self) -> PathBuf {
        self.root.path().join("data")
    }

    fn sources(&self) -> KeySources {
        KeySources { folder: Some(self.root.path().join("rings")), ..KeySources::default() }
    }

    /// A store in a database, as a process on this machine has it.
    pub(crate) async fn store(&self, database: &Database) -> PgStore {
        let keys = self.keys(database, Loads::Both);
        PgStore::open(PgOptions { keys, ..database.options() }, Arc::new(Still)).await.unwrap()
    }
}

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

/// An empty store in a database of its own, which seals what is sensitive.
pub(crate) async fn open_encrypted() -> Bed {
    let (database, machine) = (Database::make().await, Machine::new());
    bed(machine.store(&database).await, (database, machine))
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
