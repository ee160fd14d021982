//! Connection options and connecting.

use std::time::Duration;

use sqlx::postgres::PgConnection;
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _, Executor as _};

use crate::servers::lets_nobody_in;
use crate::{DatabaseAddress, Error, Result, Servers};

/// Time limits of a session.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// For connecting; shared equally between several servers.
    pub connect_timeout: Duration,
    /// For a statement, and for idling within a transaction.
    pub statement_timeout: Duration,
    /// For waiting for a lock that another process holds.
    pub lock_timeout: Duration,
}

/// Returns connection options for a database, with the application name `program`. Statements are not logged. Fails on
/// a malformed URL, without repeating it.
pub fn how(address: DatabaseAddress<'_>, program: &str, bounds: Bounds) -> Result<Servers> {
    let millis = |time: Duration| format!("{}ms", time.as_millis());
    Servers::of(address, bounds.connect_timeout, |how| {
        how.application_name(program)
            .options([
                ("statement_timeout", millis(bounds.statement_timeout)),
                ("lock_timeout", millis(bounds.lock_timeout)),
                ("idle_in_transaction_session_timeout", millis(bounds.statement_timeout)),
                ("standard_conforming_strings", "on".to_owned()),
                // Only with this setting does Citus pass SET LOCAL on to its nodes, where row-level security would hide
                // all rows without it. Drops the nodes' warnings that a transaction is in progress. Without Citus
                // neither has an effect.
                ("citus.propagate_set_commands", "local".to_owned()),
                ("citus.worker_min_messages", "error".to_owned()),
                // A vanished machine holds its locks no longer than this.
                ("tcp_keepalives_idle", "30s".to_owned()),
                ("tcp_keepalives_interval", "10s".to_owned()),
                ("tcp_keepalives_count", "3".to_owned()),
            ])
            .disable_statement_logging()
    })
}

/// Connects `whom`, to the writable server if there are several. If Postgres refuses access, the error quotes its
/// message, which holds only names.
pub async fn connect(servers: &Servers, whom: &str) -> Result<PgConnection> {
    servers.connect_from(0).await.map(|(_, conn)| conn).map_err(|error| match &error {
        sqlx::Error::Database(db) if lets_nobody_in(&error) => {
            Error::Refused(format!("Postgres refuses {whom}: {}", db.message()))
        }
        _ => Error::failed("connecting to Postgres")(error),
    })
}

/// Ends a connection.
pub async fn close(conn: PgConnection) {
    // The result of closing does not matter.
    let _ = conn.close().await;
}

/// Runs statements. All text from outside must have been quoted with [`crate::name`] or [`crate::quoted`].
pub async fn execute(conn: &mut PgConnection, sql: String) -> Result<(), sqlx::Error> {
    conn.execute(sqlx::raw_sql(AssertSqlSafe(sql))).await.map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_is_none_is_refused_without_its_password() {
        let second = Duration::from_secs(1);
        let bounds = Bounds { connect_timeout: second, statement_timeout: second, lock_timeout: second };
        let servers = [("db".to_owned(), "postgres://ada:secret@:bad:port".to_owned())];
        let error = how(DatabaseAddress { servers: &servers, read_write: false }, "test", bounds).unwrap_err();
        assert!(!error.to_string().contains("secret"), "{error}");
    }
}
