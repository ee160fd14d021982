//! Where everything is kept if not in the data folder: what the configuration says, for storage and queue.

mod address;
mod pairs;

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use self::address::{Address, Server};

/// A database of Postgres, and how it is spoken to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostgresPlace {
    /// Where processes work, as a role that need own nothing.
    pub url: PostgresUrl,
    /// Where tables are made and changed, as their owner; the same if unset.
    pub owner_url: Option<PostgresUrl>,
    /// The schema that holds everything; made if missing.
    pub schema: String,
    /// Most connections of one process to vaults and registry; keys, queue and vectors have others.
    pub max_connections: u32,
    /// How long a connection is waited for.
    pub connect_timeout: Duration,
    /// How long a statement may run.
    pub statement_timeout: Duration,
    /// How long a statement may wait for a lock that another process holds.
    pub lock_timeout: Duration,
}

/// The address of a database as libpq takes it: `postgres://role:password@host:port,host:port/database?parameters`, or pairs such
/// as `host=a,b dbname=kimberly`; shown without its password.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PostgresUrl(String);

impl PostgresUrl {
    /// Of an address, which is not looked at.
    pub fn new(url: impl Into<String>) -> Self {
        Self(url.into())
    }

    /// With the password.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Taken apart. What is wrong with it goes on the sentence that names it, and quotes no value.
    pub fn address(&self) -> Result<Address, String> {
        Address::parse(&self.0)
    }

    /// Whether it is meant to be an address of Postgres, right or wrong, and no folder.
    pub fn is_meant(&self) -> bool {
        behind_scheme(&self.0).is_some() || self.address().is_ok()
    }
}

/// What stands behind the scheme, if that is one of Postgres.
fn behind_scheme(text: &str) -> Option<&str> {
    text.strip_prefix("postgres://").or_else(|| text.strip_prefix("postgresql://"))
}

impl fmt::Debug for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for PostgresUrl {
    /// Without role, password and parameters, which may hold secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.address() {
            Ok(address) => f.write_str(&address.shown()),
            Err(_) => f.write_str("an address that is none of Postgres"),
        }
    }
}

#[cfg(test)]
mod tests;
