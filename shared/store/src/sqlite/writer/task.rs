//! The lifecycle of a vault's writer.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use kimberly_core::UserId;
use kimberly_core::error::{Error, Result};
use tokio::runtime::Handle;
use tokio::sync::mpsc;

use super::Request;
use super::checkpoint::Log;
use crate::blocking::{off_thread, on_blocking_thread};
use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::file::{DbFile, Use};
use crate::sqlite::schema::VAULT;
use crate::sqlite::shared::Shared;
use crate::sqlite::vault::Vault;
use crate::sqlite::{errors, owner};

/// How long no request arrives before a due checkpoint runs: the next request would wait for it.
const QUIET: Duration = Duration::from_millis(100);

/// Frees the page cache of an idle connection.
const RELEASE: &str = "PRAGMA shrink_memory";

/// A vault's writer. Holds no reference to the vault, which owns it; requests do.
pub(super) struct Task {
    pub(super) user: UserId,
    pub(super) file: Arc<DbFile>,
    pub(super) folder: PathBuf,
    pub(super) shared: Arc<Shared>,
    pub(super) conn: Option<Conn>,
    pub(super) log: Log,
    /// Whether the vault is new and names no owner yet.
    pub(super) unnamed: bool,
    /// Whether nothing is left to do until the next write.
    pub(super) at_rest: bool,
}

impl Task {
    pub(super) fn new(vault: &Vault, shared: Arc<Shared>) -> Self {
        Self {
            user: vault.user().clone(),
            file: Arc::clone(vault.file()),
            folder: vault.folder().to_owned(),
            shared,
            conn: None,
            log: Log::default(),
            unnamed: false,
            at_rest: false,
        }
    }

    /// Runs requests until all senders are gone. Each group has a thread for blocking work, which it keeps until it is
    /// committed.
    pub(super) async fn run(mut self, mut requests: mpsc::Receiver<Request>) {
        let mut carried: Option<Request> = None;
        while let Some(first) = self.next(&mut carried, &mut requests).await {
            let runtime = Handle::current();
            let group = off_thread(move || {
                let work = async {
                    let carried = self.group(first, &mut requests).await;
                    self.tidy(requests.is_empty() && carried.is_none()).await;
                    carried
                };
                let carried = on_blocking_thread(|| runtime.block_on(work));
                (self, requests, carried)
            });
            match group.await {
                Ok(after) => (self, requests, carried) = after,
                Err(error) => return tracing::error!(%error, "a vault's writer ended unexpectedly"),
            }
        }
        self.rest().await;
        self.close().await;
    }

    /// Returns the next request. When quiet, runs a due checkpoint; when idle, empties the log, and later closes the
    /// connection.
    async fn next(&mut self, carried: &mut Option<Request>, requests: &mut mpsc::Receiver<Request>) -> Option<Request> {
        if let Some(request) = carried.take() {
            return Some(request);
        }
        if self.log.is_due() {
            match tokio::time::timeout(QUIET, requests.recv()).await {
                Ok(request) => return request,
                Err(_elapsed) => self.shrink_log().await,
            }
        }
        let (idle, close) = (self.shared.options.writer_idle, self.shared.options.writer_close);
        let since = Instant::now();
        while self.conn.is_some() {
            let pause = if self.at_rest { close.saturating_sub(since.elapsed()) } else { idle };
            match tokio::time::timeout(pause, requests.recv()).await {
                Ok(request) => return request,
                Err(_elapsed) if self.at_rest => self.close().await,
                Err(_elapsed) => self.rest().await,
            }
        }
        requests.recv().await
    }

    /// Returns the connection, opening it if necessary.
    pub(super) async fn conn(&mut self) -> Result<&mut Conn> {
        self.shared.options.refuse_mapping()?;
        self.at_rest = false;
        let conn = match self.conn.take() {
            Some(conn) => conn,
            None => self.open().await?,
        };
        Ok(self.conn.insert(conn))
    }

    async fn open(&mut self) -> Result<Conn> {
        let (mut conn, version) = self.file.open(Use::Write, &self.shared.options).await?;
        if version == 0 {
            return Err(errors::corrupt("the file is not a vault"));
        }
        VAULT.migrate(&mut conn).await?;
        self.unnamed = !owner::check(&mut conn, &self.user).await?;
        Ok(conn)
    }

    /// Tries once to empty the log, which may contain data that another or a killed process erased.
    pub(super) async fn empty_log(&mut self, emptied: &AtomicBool) -> Result<()> {
        let mut log = std::mem::take(&mut self.log);
        log.note_erased();
        let file = Arc::clone(&self.file);
        let done = match self.conn().await {
            Ok(conn) => log.empty(conn, file.path()).await,
            Err(error) => Err(error),
        };
        emptied.store(done.is_ok() && !log.holds_erased(), Ordering::Release);
        self.log = log;
        if done.is_err() {
            self.conn = None;
        }
        done
    }

    /// Runs a due checkpoint after the replies, so that no caller waits for it.
    async fn tidy(&mut self, idle: bool) {
        let Some(conn) = self.conn.as_mut() else { return };
        let done = self.log.tidy(conn, self.file.path(), idle).await;
        if let Err(error) = done {
            self.failed_checkpoint(&error);
        }
    }

    /// Runs a checkpoint while the vault is quiet.
    async fn shrink_log(&mut self) {
        let has_room = self.shared.options.refuse_mapping().is_ok();
        let Some(conn) = self.conn.as_mut().filter(|_| has_room) else { return };
        if let Err(error) = self.log.shrink(conn).await {
            self.failed_checkpoint(&error);
        }
    }

    fn failed_checkpoint(&mut self, error: &Error) {
        tracing::warn!(%error, "a checkpoint failed; it is retried");
        self.conn = None;
    }

    /// Empties the log, again later while it contains erased text, and releases the connection's memory.
    async fn rest(&mut self) {
        let has_room = self.shared.options.refuse_mapping().is_ok();
        let Some(conn) = self.conn.as_mut().filter(|_| has_room) else { return };
        match self.log.empty(conn, self.file.path()).await {
            Ok(()) if self.log.holds_erased() => {}
            Ok(()) => {
                let _ = conn.run("releasing memory", RELEASE, Args::new()).await;
                self.at_rest = true;
            }
            Err(error) => {
                tracing::warn!(%error, "a checkpoint failed; the log stays until the next one");
                self.close().await;
            }
        }
    }

    /// Closes the connection; if it is the last one, SQLite empties the log.
    pub(super) async fn close(&mut self) {
        let Some(conn) = self.conn.take() else { return };
        if let Err(error) = conn.close().await {
            tracing::warn!(%error, "a writing connection did not close cleanly");
        }
    }
}
