//! Storage locations outside the data folder, as configured for storage and queue.

mod address;
mod pairs;
mod server;

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use self::address::Address;
pub use self::server::Server;

/// A Postgres database and its connection limits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostgresDatabase {
    /// Address for normal work, with a role that need not own anything.
    pub url: PostgresUrl,
    /// Address for creating and migrating tables, with their owner's role; the same as `url` if unset.
    pub owner_url: Option<PostgresUrl>,
    /// The schema that holds everything; created if missing.
    pub schema: String,
    /// Most connections of one process to vaults and registry. Keys, queue and vectors have connections of their own.
    pub max_connections: u32,
    /// How long to wait for a connection.
    pub connect_timeout: Duration,
    /// How long a statement may run.
    pub statement_timeout: Duration,
    /// How long a statement may wait for a lock held by another process.
    pub lock_timeout: Duration,
}

/// The address of a database as libpq accepts it: `postgres://role:password@host:port,host:port/database?parameters`,
/// or pairs such as `host=a,b dbname=kimberly`. Displayed without its password.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PostgresUrl(String);

impl PostgresUrl {
    /// Wraps an address without checking it.
    pub fn new(url: impl Into<String>) -> Self {
        Self(url.into())
    }

    /// Returns the whole address, password included.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Parses the address. The error continues a sentence that names the address, and quotes no value.
    pub fn address(&self) -> Result<Address, String> {
        Address::parse(&self.0)
    }

    /// Reports whether the text is meant as a Postgres address, valid or not, and not as a folder.
    pub fn is_meant(&self) -> bool {
        behind_scheme(&self.0).is_some() || self.address().is_ok()
    }
}

/// Returns what follows the scheme if it is a Postgres scheme.
fn behind_scheme(text: &str) -> Option<&str> {
    text.strip_prefix("postgres://").or_else(|| text.strip_prefix("postgresql://"))
}

impl fmt::Debug for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for PostgresUrl {
    /// Omits role, password and parameters, which may hold secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.address() {
            Ok(address) => f.write_str(&address.shown()),
            Err(_) => f.write_str("an address that is not one of Postgres"),
        }
    }
}

#[cfg(test)]
mod tests;
