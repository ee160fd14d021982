//! What can be tuned about the store on Postgres.

use std::time::Duration;

use kimberly_core::place::PostgresPlace;
use kimberly_crypto::Keys;

use super::schema::Migration;

/// How a [`super::PgStore`] behaves.
#[derive(Clone)]
pub struct PgOptions {
    /// Where the database is: `postgres://role@host:port/database`, of one server or several, with the parameters of libpq. The
    /// role is one that owns nothing; see [`Self::owner_url`].
    pub url: String,
    /// Where migrations connect, as the owner of the tables; the same as `url` by default.
    pub owner_url: Option<String>,
    /// The schema that holds everything; made if missing.
    pub schema: String,
    /// What sensitive fields are sealed with: keys that lie in this database ([`super::PgKeyStore`]). None by default: then
    /// they lie as they are, which is refused where a user has keys.
    pub keys: Keys,
    /// Most connections to vaults and registry; at least 2. Keys, vectors and locks have others.
    pub max_connections: u32,
    /// How long a caller waits for a connection.
    pub connect_timeout: Duration,
    /// How long a statement may run.
    pub statement_timeout: Duration,
    /// How long a statement may wait for a lock that another process holds.
    pub lock_timeout: Duration,
    /// For what moves everything: it works on a database that is half filled, or was left, too.
    pub moving: bool,
    /// Migrations behind those of this build, as a later one would bring: for tests.
    pub later_migrations: Vec<Migration>,
    /// How long what is kept of a vault in memory outlives its last use.
    pub vault_idle: Duration,
    /// Bytes that may be spent on what is kept of vaults for recall: columns, 60 a memory; full text, 6 a token; words of sealed
    /// memories.
    pub kept_bytes: usize,
    /// Memories of the largest vault that is looked through row by row where nothing of it is kept. Above it the indices of words
    /// and of their parts are asked, which are one over all users: what that costs grows with them. So they are where memories hold more than 1 KiB in the mean.
    pub looks_through: u32,
}

impl PgOptions {
    /// For a database as the configuration names it.
    pub fn at(place: &PostgresPlace, keys: Keys) -> Self {
        Self {
            owner_url: place.owner_url.as_ref().map(|url| url.expose().to_owned()),
            schema: place.schema.clone(),
            keys,
            max_connections: place.max_connections,
            connect_timeout: place.connect_timeout,
            statement_timeout: place.statement_timeout,
            lock_timeout: place.lock_timeout,
            ..Self::new(place.url.expose())
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
    /// Addresses may hold passwords.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PgOptions").field("schema", &self.schema).finish_non_exhaustive()
    }
}
