//! Failover: directs connection pools to the writable server, and redirects them when it changes.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, PgPool, Postgres, Transaction};
use tokio::sync::watch;

use crate::pool::Stale;
use crate::{Servers, close};

/// A call without an answer for this long starts a search for another writable server.
const SLOW: Duration = Duration::from_millis(250);
/// Interval between searches, and while no server is writable.
const BETWEEN: Duration = Duration::from_millis(100);

/// The server that the pools of a process connect to.
pub struct Way {
    servers: Servers,
    stale: Stale,
    known: Mutex<Known>,
    looking: AtomicBool,
    /// Counts changes of the server.
    changes: watch::Sender<u64>,
}

#[derive(Default)]
struct Known {
    /// The index of the server.
    at: usize,
    pools: Vec<PgPool>,
}

impl Way {
    /// Finds the writable server of a database, and returns the options for connecting to it.
    pub async fn find(servers: Servers) -> Result<(Arc<Self>, PgConnectOptions), sqlx::Error> {
        let mut at = 0;
        if servers.are_several() {
            let (found, conn) = servers.connect_from(at).await?;
            close(conn).await;
            at = found;
        }
        let none = || sqlx::Error::Configuration("no Postgres server is configured".into());
        let (how, _) = servers.one(at).ok_or_else(none)?;
        let how = how.clone();
        let known = Mutex::new(Known { at, pools: Vec::new() });
        let way = Self {
            servers,
            stale: Stale::default(),
            known,
            looking: AtomicBool::default(),
            changes: watch::Sender::new(0),
        };
        Ok((Arc::new(way), how))
    }

    /// Redirects this pool too.
    pub fn lead(&self, pool: &PgPool) {
        if self.servers.are_several() {
            self.known().pools.push(pool.clone());
        }
    }

    /// Reports whether a connection of this age is stale.
    pub fn is_stale(&self, age: Duration) -> bool {
        self.stale.is(age)
    }

    /// Marks all existing connections as stale: the server stopped accepting writes or is gone.
    pub fn lost(self: &Arc<Self>) {
        self.stale.all();
        self.look();
    }

    /// Starts a background search for the writable server, until one is found.
    pub fn look(self: &Arc<Self>) {
        if !self.servers.are_several() || self.looking.swap(true, Ordering::AcqRel) {
            return;
        }
        let way = Arc::downgrade(self);
        tokio::spawn(async move {
            while let Some(way) = way.upgrade() {
                let done = !way.leads_somebody() || way.look_once().await;
                tokio::time::sleep(BETWEEN).await;
                if done {
                    way.looking.store(false, Ordering::Release);
                    return;
                }
            }
        });
    }

    /// Searches once; returns whether a server is writable. If it is another one, redirects all pools.
    async fn look_once(&self) -> bool {
        let before = self.known().at;
        let Ok((at, conn)) = self.servers.connect_from(before).await else { return false };
        close(conn).await;
        if let Some((how, server)) = self.servers.one(at).filter(|_| at != before) {
            let mut known = self.known();
            known.at = at;
            known.pools.iter().for_each(|pool| pool.set_connect_options(how.clone()));
            self.stale.all();
            self.changes.send_modify(|changes| *changes += 1);
            tracing::warn!(server, "connected to another Postgres server, which now accepts writes");
        }
        true
    }

    fn leads_somebody(&self) -> bool {
        self.known().pools.iter().any(|pool| !pool.is_closed())
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a transaction in a task that completes even if the caller stops waiting. An abandoned BEGIN would leave
    /// a connection inside an unknown transaction: its next user would read old data, and their single statements
    /// would never be committed. Fails like a crashed worker during shutdown, and like a broken connection if the
    /// server changes meanwhile.
    pub async fn begin(
        self: &Arc<Self>,
        pool: &PgPool,
        sql: String,
    ) -> Result<Transaction<'static, Postgres>, sqlx::Error> {
        let pool = pool.clone();
        let mut changes = self.changes.subscribe();
        let mut beginning = tokio::spawn(async move { pool.begin_with(AssertSqlSafe(sql)).await });
        loop {
            tokio::select! {
                begun = &mut beginning => return begun.unwrap_or(Err(sqlx::Error::WorkerCrashed)),
                Ok(()) = changes.changed() => return Err(sqlx::Error::Io(std::io::ErrorKind::ConnectionReset.into())),
                () = tokio::time::sleep(SLOW), if self.servers.are_several() => self.look(),
            }
        }
    }
}

impl std::fmt::Debug for Way {
    /// URLs may contain passwords.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Way").finish_non_exhaustive()
    }
}
