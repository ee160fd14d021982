//! How one connects to a database.

use std::str::FromStr as _;
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _, Executor as _};

use crate::{Error, Result, code};

/// How long a session may take.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// For a statement, and to stand still within a transaction.
    pub statement_timeout: Duration,
    /// To wait for a lock that another process holds.
    pub lock_timeout: Duration,
}

/// How to connect to the database at an address (`postgres://role@host:port/database`, with the parameters of libpq), under the
/// name that the server shows of the program. No statement is logged. Fails at an address that is none, without telling it.
pub fn how(url: &str, program: &str, bounds: Bounds) -> Result<PgConnectOptions> {
    // The message of the parser may hold the address, and with it a password.
    let bad = |_| {
        let problem = "the address of Postgres is not readable: it must look like postgres://role@host:port/database";
        Error::Refused(problem.to_owned())
    };
    let millis = |time: Duration| format!("{}ms", time.as_millis());
    Ok(PgConnectOptions::from_str(url)
        .map_err(bad)?
        .application_name(program)
        .options([
            ("statement_timeout", millis(bounds.statement_timeout)),
            ("lock_timeout", millis(bounds.lock_timeout)),
            ("idle_in_transaction_session_timeout", millis(bounds.statement_timeout)),
            ("standard_conforming_strings", "on".to_owned()),
            // A machine that vanished holds no locks for longer than this.
            ("tcp_keepalives_idle", "30s".to_owned()),
            ("tcp_keepalives_interval", "10s".to_owned()),
            ("tcp_keepalives_count", "3".to_owned()),
        ])
        .disable_statement_logging())
}

/// Connects `whom`. Why Postgres lets nobody in is told in its words, which hold no more than names.
pub async fn connect(how: &PgConnectOptions, whom: &str) -> Result<PgConnection> {
    Box::pin(PgConnection::connect_with(how)).await.map_err(|error| match &error {
        // Of authorization, or no such database.
        sqlx::Error::Database(db) if code(&error).starts_with("28") || code(&error) == "3D000" => {
            Error::Refused(format!("Postgres does not let {whom} in: {}", db.message()))
        }
        _ => Error::failed("connecting to Postgres")(error),
    })
}

/// Ends a connection.
pub async fn close(conn: PgConnection) {
    // It has done what it was for.
    let _ = conn.close().await;
}

/// Runs statements that hold nothing from outside but [`crate::name`]s and [`crate::quoted`] texts.
pub async fn execute(conn: &mut PgConnection, sql: String) -> Result<(), sqlx::Error> {
    conn.execute(sqlx::raw_sql(AssertSqlSafe(sql))).await.map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_is_none_is_refused_without_its_password() {
        let bounds = Bounds { statement_timeout: Duration::from_secs(1), lock_timeout: Duration::from_secs(1) };
        let error = how("postgres://ada:secret@:bad:port", "test", bounds).unwrap_err();
        assert!(!error.to_string().contains("secret"), "{error}");
    }
}
