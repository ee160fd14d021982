//! `[postgres]`: the database that replaces the data folder, for more than one machine.

use kimberly_core::database::{PostgresDatabase, PostgresUrl, Server};
use serde::{Deserialize, Serialize};

use super::{Period, Problems, loopback};

/// The database, if one is configured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PostgresConfig {
    /// URL for the processes, with a role that need not own anything. Unset: vaults, registry and queue are in the data
    /// folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<PostgresUrl>,
    /// URL for creating and migrating tables, with the role that owns them. Unset: `url`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner_url: Option<PostgresUrl>,
    /// The schema; created if missing. 1 to 63 of a-z, 0-9 and _, not starting with a digit.
    pub schema: String,
    /// Maximum connections of a process to vaults and registry; 2 to 1,000. Keys, queue and vectors use other
    /// connections.
    pub max_connections: u32,
    /// Timeout for getting a connection; 100 ms to 5 m.
    pub connect_timeout: Period,
    /// Maximum run time of a statement; 1 s to 1 h.
    pub statement_timeout: Period,
    /// Maximum time that a statement waits for a lock of another process; 100 ms to 5 m.
    pub lock_timeout: Period,
}

impl Default for PostgresConfig {
    fn default() -> Self {
        Self {
            url: None,
            owner_url: None,
            schema: "kimberly".to_owned(),
            max_connections: 16,
            connect_timeout: Period::seconds(5),
            statement_timeout: Period::seconds(30),
            lock_timeout: Period::seconds(5),
        }
    }
}

impl PostgresConfig {
    pub(super) fn check(&self, problems: &mut Problems) {
        for (key, url) in [("postgres.url", &self.url), ("postgres.owner_url", &self.owner_url)] {
            if let Some(problem) = url.as_ref().and_then(problem_of) {
                problems.add(format!("{key} {problem}"));
            }
        }
        if self.owner_url.is_some() && self.url.is_none() {
            problems
                .add("postgres.owner_url is set and postgres.url is not; set both, or neither to use the data folder");
        }
        if !is_schema(&self.schema) {
            problems.add(format!(
                "postgres.schema is {:?}; 1 to 63 of a-z, 0-9 and _ are allowed, the first no digit, and no name that begins \
                 with pg_",
                self.schema
            ));
        }
        problems.range("postgres.max_connections", self.max_connections, 2..=1_000);
        problems.range("postgres.connect_timeout", self.connect_timeout, Period::millis(100)..=Period::seconds(300));
        problems.range(
            "postgres.statement_timeout",
            self.statement_timeout,
            Period::seconds(1)..=Period::seconds(3_600),
        );
        problems.range("postgres.lock_timeout", self.lock_timeout, Period::millis(100)..=Period::seconds(300));
    }

    /// The connection options for storage and queue; `None` for the data folder.
    pub fn database(&self) -> Option<PostgresDatabase> {
        Some(PostgresDatabase {
            url: self.url.clone()?,
            owner_url: self.owner_url.clone(),
            schema: self.schema.clone(),
            max_connections: self.max_connections,
            connect_timeout: self.connect_timeout.0,
            statement_timeout: self.statement_timeout.0,
            lock_timeout: self.lock_timeout.0,
        })
    }
}

/// Returns what is wrong with a URL. Never quotes it, since it may hold a password.
fn problem_of(url: &PostgresUrl) -> Option<String> {
    let address = match url.address() {
        Ok(address) => address,
        Err(problem) => return Some(problem),
    };
    let elsewhere = |server: &&Server| !server.is_socket() && !loopback::is_this_machine(&server.host);
    let server = address.servers.iter().find(elsewhere)?;
    address.parameter("sslmode").or_else(|| address.parameter("ssl-mode")).is_none().then(|| {
        format!(
            "connects to {server} over the network without sslmode: add ?sslmode=verify-full (with sslrootcert=FILE \
             for an \
             authority of your own), or ?sslmode=disable if that network is yours alone"
        )
    })
}

fn is_schema(name: &str) -> bool {
    let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    (1..=63).contains(&name.len())
        && name.chars().all(allowed)
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && !name.starts_with("pg_")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(change: impl FnOnce(&mut PostgresConfig)) -> Result<(), String> {
        let (mut config, mut problems) = (PostgresConfig::default(), Problems::default());
        change(&mut config);
        config.check(&mut problems);
        problems.into_result().map_err(|problems| problems.to_string())
    }

    #[test]
    fn a_database_elsewhere_needs_an_explicit_tls_mode() {
        let of = |url: &str| said(|config| config.url = Some(PostgresUrl::new(url)));
        for fine in [
            "postgres://kimberly@localhost/kimberly",
            "postgres://kimberly@[::1]:5433/kimberly",
            "postgresql:///kimberly?host=/run/postgresql",
            "postgres://kimberly:secret@db/kimberly?sslmode=verify-full",
            "postgres://kimberly:secret@10.0.0.5/kimberly?sslmode=disable",
            "postgres://kimberly:secret@a:5432,b:5433/kimberly?sslmode=verify-full&target_session_attrs=read-write",
            "host=localhost,/run/postgresql dbname=kimberly",
        ] {
            assert_eq!(of(fine), Ok(()), "{fine}");
        }
        for silent in [
            "postgres://kimberly:secret@db/kimberly",
            "postgres://localhost/kimberly?host=10.0.0.5",
            "host=localhost,db password=secret",
        ] {
            let refused = of(silent).unwrap_err();
            assert!(refused.contains("sslmode=verify-full") && !refused.contains("secret"), "{refused}");
        }
        let refused = of("mysql://ada:secret@db/kimberly").unwrap_err();
        assert!(refused.contains("is not an address of Postgres") && !refused.contains("secret"), "{refused}");
        let refused = of("postgres://ada:secret@a,b/k?sslmode=disable&target_session_attrs=standby").unwrap_err();
        assert!(refused.contains("target_session_attrs=standby") && !refused.contains("secret"), "{refused}");
    }

    #[test]
    fn an_owner_alone_and_odd_schemas_are_refused() {
        let refused = said(|config| config.owner_url = Some(PostgresUrl::new("postgres://localhost/k"))).unwrap_err();
        assert!(refused.contains("postgres.url is not"), "{refused}");
        for odd in ["", "Kimberly", "9lives", "pg_kimberly", "a-b", "a\"b"] {
            assert!(said(|config| odd.clone_into(&mut config.schema)).unwrap_err().contains("1 to 63"), "{odd}");
        }
    }
}
