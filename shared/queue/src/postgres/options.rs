//! Connection options of the queue.

use std::time::Duration;

use kimberly_core::database::PostgresDatabase;

/// Minimum and maximum of the default number of connections.
const FEWEST: u32 = 3;
const MOST: u32 = 8;

/// The Postgres that holds a [`crate::Queue`].
#[derive(Clone)]
pub struct PgQueueOptions {
    /// The database: `postgres://role@host:port/database`, of one server or several, with the parameters of libpq.
    /// The role should own nothing; see [`Self::owner_url`].
    pub url: String,
    /// The database as seen by the owner of the tables, for migrations; default `url`.
    pub owner_url: Option<String>,
    /// The schema of the installation, which separates its queues from others in the same database.
    pub schema: String,
    /// Maximum connections of this queue; at least 3.
    pub max_connections: u32,
    /// How long a caller waits for a connection.
    pub connect_timeout: Duration,
    /// Maximum run time of a statement.
    pub statement_timeout: Duration,
    /// Maximum time that a statement waits for a lock.
    pub lock_timeout: Duration,
}

impl PgQueueOptions {
    /// Options for the configured database. A queue needs fewer connections than vaults.
    pub fn at(database: &PostgresDatabase) -> Self {
        Self {
            owner_url: database.owner_url.as_ref().map(|url| url.expose().to_owned()),
            schema: database.schema.clone(),
            max_connections: (database.max_connections / 2).clamp(FEWEST, MOST),
            connect_timeout: database.connect_timeout,
            statement_timeout: database.statement_timeout,
            lock_timeout: database.lock_timeout,
            ..Self::new(database.url.expose())
        }
    }

    /// Default options for a database.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            owner_url: None,
            schema: "kimberly".to_owned(),
            max_connections: MOST,
            connect_timeout: Duration::from_secs(5),
            statement_timeout: Duration::from_secs(30),
            lock_timeout: Duration::from_secs(5),
        }
    }
}

impl std::fmt::Debug for PgQueueOptions {
    /// URLs may hold passwords.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PgQueueOptions").field("schema", &self.schema).finish_non_exhaustive()
    }
}
