//! Where everything is kept if not in the data folder: what the configuration says, and storage and queue are told.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

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

/// The address of a database, `postgres://role:password@host:port/database?parameters`; shown without its password.
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

    /// What stands behind the scheme, if that is one of Postgres.
    pub fn rest(&self) -> Option<&str> {
        self.0.strip_prefix("postgres://").or_else(|| self.0.strip_prefix("postgresql://"))
    }

    /// The host that is named, without its port; empty for none.
    pub fn host(&self) -> &str {
        let authority = self.rest().unwrap_or_default().split(['/', '?']).next().unwrap_or_default();
        let server = authority.rsplit('@').next().unwrap_or_default();
        match server.strip_prefix('[') {
            Some(six) => six.split(']').next().unwrap_or_default(),
            None => server.split(':').next().unwrap_or_default(),
        }
    }

    /// The value of a parameter.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        let (_, parameters) = self.0.split_once('?')?;
        parameters
            .split('&')
            .filter_map(|pair| pair.split_once('='))
            .find(|(key, _)| *key == name)
            .map(|(_, value)| value)
    }
}

impl fmt::Debug for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for PostgresUrl {
    /// Without role, password and parameters, which may hold secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(rest) = self.rest() else { return f.write_str("an address that is none of Postgres") };
        let shown = rest.split('?').next().unwrap_or_default();
        write!(f, "postgres://{}", shown.rsplit('@').next().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_taken_apart_and_shown_without_secrets() {
        let url =
            PostgresUrl::new("postgres://ada:p@ss:w/rd@db.example.com:5433/kimberly?sslmode=verify-full&options=x");
        // A slash in a password must be written as %2F; nothing of it is shown even if it is not.
        assert!(!format!("{url} {url:?}").contains("ss:w"), "{url}");
        let url =
            PostgresUrl::new("postgresql://ada:secret@db.example.com:5433/kimberly?sslmode=verify-full&password=x");
        assert_eq!((url.host(), url.parameter("sslmode")), ("db.example.com", Some("verify-full")));
        assert_eq!(format!("{url:?}"), "postgres://db.example.com:5433/kimberly");
        assert_eq!(PostgresUrl::new("postgres://[::1]:5432/k").host(), "::1");
        assert_eq!(PostgresUrl::new("postgres:///k?host=/run/postgresql").host(), "");
        assert_eq!(PostgresUrl::new("mysql://ada:secret@db/k").rest(), None);
        assert!(!PostgresUrl::new("mysql://ada:secret@db/k").to_string().contains("secret"));
    }
}
