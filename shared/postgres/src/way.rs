//! The way of pools to the server that writes: where they are led to another one when the one that they know does not any more.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, PgPool, Postgres, Transaction};
use tokio::sync::watch;

use crate::pool::Stale;
use crate::{Servers, close};

/// After so long without an answer it is looked whether another server writes.
const SLOW: Duration = Duration::from_millis(250);
/// Between looks while none writes, and at least between two looks.
const BETWEEN: Duration = Duration::from_millis(100);

/// Which server the pools of a process connect to.
pub struct Way {
    servers: Servers,
    stale: Stale,
    known: Mutex<Known>,
    looking: AtomicBool,
    /// Counts how often it was another one.
    changes: watch::Sender<u64>,
}

#[derive(Default)]
struct Known {
    /// The place of the server among all.
    at: usize,
    pools: Vec<PgPool>,
}

impl Way {
    /// To the servers of a database, with how the first connections are made: to the one that writes, if there are several.
    pub async fn find(servers: Servers) -> Result<(Arc<Self>, PgConnectOptions), sqlx::Error> {
        let mut at = 0;
        if servers.are_several() {
            let (found, conn) = servers.connect_from(at).await?;
            close(conn).await;
            at = found;
        }
        let none = || sqlx::Error::Configuration("no server of Postgres is named".into());
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

    /// Has a pool led, too.
    pub fn lead(&self, pool: &PgPool) {
        if self.servers.are_several() {
            self.known().pools.push(pool.clone());
        }
    }

    /// Whether a connection is good no longer that was made so long ago.
    pub fn is_stale(&self, age: Duration) -> bool {
        self.stale.is(age)
    }

    /// No connection is good that was made before now: the server does not write, or is gone.
    pub fn lost(self: &Arc<Self>) {
        self.stale.all();
        self.look();
    }

    /// Looks behind the caller's back which server writes, until one does.
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

    /// Whether one writes. If it is another one, all pools are led to it.
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
            tracing::warn!(server, "another server of Postgres writes; it is worked with from now on");
        }
        true
    }

    fn leads_somebody(&self) -> bool {
        self.known().pools.iter().any(|pool| !pool.is_closed())
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins by a statement, whoever still waits for it. A BEGIN that was given up between question and answer would leave a
    /// connection in a transaction that nobody knows of: whoever is given it next would read what was there then, and what he
    /// writes by a statement alone would never be kept. Fails as a worker that crashed when the process shuts down, and as a
    /// connection that broke when another server is worked with meanwhile.
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
    /// Addresses may hold passwords.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Way").finish_non_exhaustive()
    }
}
