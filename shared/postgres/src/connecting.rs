//! Connection options and connecting.

use std::io::ErrorKind;
use std::time::{Duration, Instant};

use sqlx::postgres::PgConnection;
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _, Executor as _};

use crate::servers::{is_starting, lets_nobody_in};
use crate::{DatabaseAddress, Error, Result, Servers};

/// How long a server that starts or recovers from a crash is waited for. Recovery replays its log, which takes minutes
/// on a large one.
const STARTING: Duration = Duration::from_mins(5);
/// Pause between attempts to connect.
const BETWEEN: Duration = Duration::from_millis(100);

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

/// Connects `whom`, to the writable server if there are several. Waits for a server that starts, recovers from a crash or
/// refuses connections. If Postgres refuses access, the error quotes its message, which holds only names.
pub async fn connect(servers: &Servers, whom: &str) -> Result<PgConnection> {
    let (started, mut waits) = (Instant::now(), false);
    loop {
        let error = match servers.connect_from(0).await {
            Ok((_, conn)) => return Ok(conn),
            Err(error) => error,
        };
        if started.elapsed() >= patience(servers, &error) {
            return Err(refused(error, whom));
        }
        if !waits {
            tracing::warn!("Postgres accepts no connections yet: waiting for it");
            waits = true;
        }
        tokio::time::sleep(BETWEEN).await;
    }
}

/// How long to try again after this error.
fn patience(servers: &Servers, error: &sqlx::Error) -> Duration {
    match error {
        _ if is_starting(error) => STARTING,
        sqlx::Error::Io(io) if io.kind() == ErrorKind::ConnectionRefused => servers.patience,
        _ => Duration::ZERO,
    }
}

fn refused(error: sqlx::Error, whom: &str) -> Error {
    match &error {
        sqlx::Error::Database(db) if lets_nobody_in(&error) => {
            Error::Refused(format!("Postgres refuses {whom}: {}", db.message()))
        }
        _ => Error::failed("connecting to Postgres")(error),
    }
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
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::{TcpListener, TcpStream};

    use super::*;

    /// Answers one start of a session like a server that recovers, or lets it in.
    async fn answer(mut client: TcpStream, recovers: bool) {
        let mut length = [0; 4];
        client.read_exact(&mut length).await.unwrap();
        let mut start = vec![0; usize::try_from(u32::from_be_bytes(length)).unwrap() - 4];
        client.read_exact(&mut start).await.unwrap();
        let refusal = b"SFATAL\0VFATAL\0C57P03\0Mthe database system is not yet accepting connections\0\0";
        let mut reply = Vec::new();
        if recovers {
            reply.push(b'E');
            reply.extend(u32::try_from(refusal.len() + 4).unwrap().to_be_bytes());
            reply.extend(refusal);
        } else {
            // Authenticated; ready for a query, in no transaction.
            reply.extend([b'R', 0, 0, 0, 8, 0, 0, 0, 0, b'Z', 0, 0, 0, 5, b'I']);
        }
        client.write_all(&reply).await.unwrap();
        if !recovers {
            let _ = client.read_to_end(&mut start).await;
        }
    }

    #[tokio::test]
    async fn a_server_that_recovers_from_a_crash_is_waited_for() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let second = Duration::from_secs(1);
        let connect_timeout = Duration::from_millis(200);
        let bounds = Bounds { connect_timeout, statement_timeout: second, lock_timeout: second };
        let url = |port: u16| format!("postgres://ada@127.0.0.1:{port}/db?sslmode=disable");
        let one = [("one".to_owned(), url(port))];
        let how = how(DatabaseAddress { servers: &one, read_write: false }, "test", bounds).unwrap();
        let serving = tokio::spawn(async move {
            for recovers in [true, true, true, false] {
                let (client, _) = listener.accept().await.unwrap();
                answer(client, recovers).await;
            }
        });
        close(connect(&how, "the test").await.unwrap()).await;
        serving.await.unwrap();
        let gone = connect(&how, "the test").await.unwrap_err().to_string();
        assert!(gone.contains("refused"), "it is not waited for without end: {gone}");
    }

    #[test]
    fn an_address_that_is_none_is_refused_without_its_password() {
        let second = Duration::from_secs(1);
        let bounds = Bounds { connect_timeout: second, statement_timeout: second, lock_timeout: second };
        let servers = [("db".to_owned(), "postgres://ada:secret@:bad:port".to_owned())];
        let error = how(DatabaseAddress { servers: &servers, read_write: false }, "test", bounds).unwrap_err();
        assert!(!error.to_string().contains("secret"), "{error}");
    }
}
