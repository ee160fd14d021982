//! The servers of a database: one, or several of which one accepts writes.

use std::str::FromStr as _;
use std::time::Duration;

use sqlx::Connection as _;
use sqlx::postgres::{PgConnectOptions, PgConnection};

use crate::{Error, Result, code, standby};

/// Selects whether a server refuses writes: it is a standby or, if `$1`, its transactions are read-only by default.
const TAKES_NONE: &str =
    "SELECT pg_is_in_recovery() OR ($1 AND current_setting('default_transaction_read_only')::boolean)";

/// The address of a database.
#[derive(Clone, Copy, Debug)]
pub struct DatabaseAddress<'a> {
    /// Per server its display name and its URL, `postgres://role@host:port/database`, in the order in which they are
    /// tried.
    pub servers: &'a [(String, String)],
    /// Whether to skip a server whose transactions are read-only by default.
    pub read_write: bool,
}

/// Connection options of a database's servers.
#[derive(Clone, Debug)]
pub struct Servers {
    each: Vec<Server>,
    read_write: bool,
    /// How long each server is tried if there are several.
    turn: Duration,
    /// How long servers that refuse connections are tried again.
    pub(crate) patience: Duration,
}

#[derive(Clone, Debug)]
struct Server {
    name: String,
    how: PgConnectOptions,
}

impl Servers {
    /// Returns connection options for a place, adjusted by `how`. Fails on a malformed URL, without repeating it.
    pub(crate) fn of(
        address: DatabaseAddress<'_>,
        connect_timeout: Duration,
        how: impl Fn(PgConnectOptions) -> PgConnectOptions,
    ) -> Result<Self> {
        // The parser's message may contain the URL, and thus a password.
        let bad = |name: &str| Error::Refused(format!("the address of Postgres at {name} cannot be parsed"));
        let server = |(name, url): &(String, String)| {
            let parsed = PgConnectOptions::from_str(url).map_err(|_| bad(name))?;
            Ok(Server { name: name.clone(), how: how(parsed) })
        };
        let each = address.servers.iter().map(server).collect::<Result<Vec<_>>>()?;
        let turn = connect_timeout / u32::try_from(each.len().max(1)).unwrap_or(u32::MAX);
        Ok(Self { each, read_write: address.read_write, turn, patience: connect_timeout })
    }

    /// Adds settings of the session.
    #[must_use]
    pub fn options(mut self, options: &[(&str, String)]) -> Self {
        for server in &mut self.each {
            server.how = server.how.clone().options(options.iter().map(|(key, value)| (*key, value)));
        }
        self
    }

    pub(crate) fn are_several(&self) -> bool {
        self.each.len() > 1
    }

    /// Returns the connection options and name of one server.
    pub(crate) fn one(&self, at: usize) -> Option<(&PgConnectOptions, &str)> {
        self.each.get(at).map(|server| (&server.how, server.name.as_str()))
    }

    /// Connects to the only server, or to the first writable one of several, starting at `first`; returns its index.
    pub(crate) async fn connect_from(&self, first: usize) -> Result<(usize, PgConnection), sqlx::Error> {
        if let [only] = self.each.as_slice() {
            return Ok((0, Box::pin(PgConnection::connect_with(&only.how)).await?));
        }
        let (mut refused, mut starting, mut reasons) = (None, None, Vec::new());
        let others = (0..self.each.len()).filter(|at| *at != first);
        for (at, server) in std::iter::once(first).chain(others).filter_map(|at| Some((at, self.each.get(at)?))) {
            match tokio::time::timeout(self.turn, Box::pin(self.try_one(server))).await {
                Ok(Ok(conn)) => return Ok((at, conn)),
                Ok(Err(error)) => {
                    reasons.push(format!("{}: {}", server.name, why(&error)));
                    // Reported if no other server accepts the connection.
                    if is_starting(&error) {
                        starting = Some(error);
                    } else {
                        refused = refused.or(Some(error).filter(lets_nobody_in));
                    }
                }
                Err(_) => reasons.push(format!("{}: no answer", server.name)),
            }
        }
        let none = || std::io::Error::other(format!("no server accepts writes ({})", reasons.join("; ")));
        Err(refused.or(starting).unwrap_or_else(|| sqlx::Error::Io(none())))
    }

    async fn try_one(&self, server: &Server) -> Result<PgConnection, sqlx::Error> {
        let mut conn = PgConnection::connect_with(&server.how).await?;
        let asked = sqlx::query_scalar(TAKES_NONE).bind(self.read_write);
        if asked.fetch_one(&mut conn).await? {
            // The result of closing does not matter.
            let _ = conn.close().await;
            return Err(standby());
        }
        Ok(conn)
    }
}

/// Reports whether a server refused the role or the database.
pub(crate) fn lets_nobody_in(error: &sqlx::Error) -> bool {
    code(error).starts_with("28") || code(error) == "3D000"
}

/// Reports whether a server accepts no connection yet: it starts, recovers from a crash, or stops.
pub(crate) fn is_starting(error: &sqlx::Error) -> bool {
    code(error) == "57P03"
}

/// Returns why a server was skipped, without quoted values.
fn why(error: &sqlx::Error) -> String {
    match error {
        sqlx::Error::Database(_) => format!("Postgres error {}", code(error)),
        sqlx::Error::Io(error) => error.to_string(),
        sqlx::Error::Tls(_) => "TLS failed".to_owned(),
        sqlx::Error::Configuration(problem) => problem.to_string(),
        _ => "no connection".to_owned(),
    }
}
