//! Shared by the tests of this backend.

use std::os::unix::fs::DirBuilderExt as _;
use std::path::PathBuf;
use std::sync::Arc;

use kimberly_crypto::{KeyError, KeySources, Keys, Loads, Ring, RingName};
use kimberly_store::conformance::Bed;
pub(crate) use kimberly_store::conformance::database::{APP, Database, OWNER, Still};
use kimberly_store::{PgKeyStore, PgOptions, PgStore};
use sqlx::postgres::PgConnection;
use sqlx::{AssertSqlSafe, Executor as _};

/// A machine with its own data folder and folder of key rings.
pub(crate) struct Machine {
    root: tempfile::TempDir,
}

impl Machine {
    /// A machine that was never started.
    pub(crate) fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join("data")).unwrap();
        Self { root }
    }

    /// Another machine with the rings of the first.
    pub(crate) fn with_rings_of(other: &Self) -> Self {
        let machine = Self::new();
        let rings = machine.root.path().join("rings");
        std::fs::DirBuilder::new().mode(0o700).create(&rings).unwrap();
        for ring in [RingName::Master, RingName::Sensitive] {
            std::fs::copy(other.ring(ring), machine.ring(ring)).unwrap();
        }
        machine
    }

    /// Returns the file of a ring.
    pub(crate) fn ring(&self, ring: RingName) -> PathBuf {
        self.root.path().join(format!("rings/{ring}.key"))
    }

    /// Adds a new key to a ring.
    pub(crate) fn add_key(&self, ring: RingName) {
        let (_, text) = Ring::generate().unwrap();
        std::fs::write(self.ring(ring), std::fs::read_to_string(self.ring(ring)).unwrap() + &text).unwrap();
    }

    /// Removes all keys of a ring except the last.
    pub(crate) fn remove_old_keys(&self, ring: RingName) {
        let text = std::fs::read_to_string(self.ring(ring)).unwrap();
        std::fs::write(self.ring(ring), text.trim_end().lines().last().unwrap()).unwrap();
    }

    /// Returns the keys in a database.
    pub(crate) fn keys(&self, database: &Database, loads: Loads) -> Keys {
        self.try_keys(database, loads).unwrap()
    }

    /// The same, unless the machine is refused.
    pub(crate) fn try_keys(&self, database: &Database, loads: Loads) -> Result<Keys, KeyError> {
        let table = Arc::new(PgKeyStore::open(database.options()).unwrap());
        Keys::open_in(&self.data(), &self.sources(), loads, table)
    }

    /// Returns keys in its own data folder.
    pub(crate) fn keys_in_files(&self) -> Keys {
        Keys::open(&self.data(), &self.sources(), Loads::Both).unwrap()
    }

    /// Returns its data folder.
    pub(crate) fn data(&self) -> PathBuf {
        self.root.path().join("data")
    }

    /// Returns where its rings are.
    pub(crate) fn sources(&self) -> KeySources {
        KeySources { folder: Some(self.root.path().join("rings")), ..KeySources::default() }
    }

    /// Opens a store in a database, as a process on this machine would.
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

/// Returns the only value of the only row.
pub(crate) async fn number(conn: &mut PgConnection, sql: &str) -> i64 {
    sqlx::query_scalar(AssertSqlSafe(sql.to_owned())).fetch_one(conn).await.unwrap()
}

/// Returns the only column of all rows.
pub(crate) async fn texts(conn: &mut PgConnection, sql: &str) -> Vec<String> {
    sqlx::query_scalar(AssertSqlSafe(sql.to_owned())).fetch_all(conn).await.unwrap()
}

/// Opens an empty store in a new database, with row-level security for its role.
pub(crate) async fn open() -> Bed {
    let database = Database::with_tables().await;
    bed(database.store().await, database)
}

/// Opens an empty store in a new database, with sealing.
pub(crate) async fn open_encrypted() -> Bed {
    let (database, machine) = (Database::with_tables().await, Machine::new());
    bed(machine.store(&database).await, (database, machine))
}

/// Wraps a store and what must live as long.
pub(crate) fn bed(store: PgStore, guard: impl Send + Sync + 'static) -> Bed {
    Bed::of(store, guard)
}
