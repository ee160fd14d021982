//! Tunable options of the store on Postgres.

use std::time::Duration;

use kimberly_core::database::PostgresDatabase;
use kimberly_crypto::Keys;

use super::schema::Migration;

/// Options of a [`super::PgStore`].
#[derive(Clone)]
pub struct PgOptions {
    /// Address of the database: `postgres://role@host:port/database`, with one server or several and the parameters of
    /// libpq. The role should own nothing; see [`Self::owner_url`].
    pub url: String,
    /// Address for migrations, as the owner of the tables; the same as `url` by default.
    pub owner_url: Option<String>,
    /// The schema that holds everything; created if missing.
    pub schema: String,
    /// Keys that seal sensitive fields, stored in this database ([`super::PgKeyStore`]). Off by default: fields are
    /// plain. Off is refused if a user has keys.
    pub keys: Keys,
    /// Maximum number of connections to vaults and registry; at least 2. Keys, vectors and locks use others.
    pub max_connections: u32,
    /// How long a caller waits for a connection.
    pub connect_timeout: Duration,
    /// Maximum duration of a statement.
    pub statement_timeout: Duration,
    /// How long a statement may wait for a lock of another process.
    pub lock_timeout: Duration,
    /// Set by `migrate`, which also works on a database that is half filled or was left.
    pub moving: bool,
    /// Additional migrations, as a later build would have: for tests.
    pub later_migrations: Vec<Migration>,
    /// Idle time after which a vault's caches are dropped.
    pub vault_idle: Duration,
    /// Budget in bytes for caches for recall: columns, 72 per memory; full text, 6 per token; words of sealed memories.
    pub kept_bytes: usize,
    /// Largest number of memories of a vault without caches that is scanned row by row. Above it, or if memories are
    /// larger than 1 KiB on average, the indices of words and substrings are used. They cover all users, so their cost
    /// grows with all users.
    pub looks_through: u32,
}

impl PgOptions {
    /// Options for a database named by the configuration.
    pub fn at(database: &PostgresDatabase, keys: Keys) -> Self {
        Self {
            owner_url: database.owner_url.as_ref().map(|url| url.expose().to_owned()),
            schema: database.schema.clone(),
            keys,
            max_connections: database.max_connections,
            connect_timeout: database.connect_timeout,
            statement_timeout: database.statement_timeout,
            lock_timeout: database.lock_timeout,
            ..Self::new(database.url.expose())
        }
    }

    /// The defaults, for a database.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            owner_url: None,
            schema: "kimberly".to_owned(),
            keys: Keys::off(),
            max_connections: 16,
            connect_timeout: Duration::from_secs(5),
            statement_timeout: Duration::from_secs(30),
            lock_timeout: Duration::from_secs(5),
            moving: false,
            later_migrations: Vec::new(),
            vault_idle: Duration::from_mins(5),
            kept_bytes: 64 * 1024 * 1024,
            looks_through: 2_000,
        }
    }
}

impl std::fmt::Debug for PgOptions {
    /// Addresses may contain passwords.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PgOptions").field("schema", &self.schema).finish_non_exhaustive()
    }
}
