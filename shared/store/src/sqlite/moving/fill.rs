//! Fills files: a vault in a temporary file that is renamed into place when complete, `system.db` in one transaction.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use kimberly_core::UserId;
use kimberly_core::error::Result;
use kimberly_crypto::folder_of;

use super::{Inner, sql};
use crate::moving::cell::{Cell, Row};
use crate::moving::side::{Filling, Known};
use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::files::beside;
use crate::sqlite::layout::lock_of;
use crate::sqlite::owner::SET_OWNER;
use crate::sqlite::schema::late;
use crate::sqlite::{errors, files};
use crate::tables::{Lies, OF_ALL, Table};

const DOING: &str = "filling a file";
const HEAD: &str = "UPDATE vault SET settings = ?, settings_revision = ?, audit_pruned = ?, audit_pruned_hash = ?;\
     UPDATE embedding SET asked_at = ?;\
     DELETE FROM sqlite_sequence WHERE name = 'outbox';\
     INSERT INTO sqlite_sequence (name, seq) VALUES ('outbox', ?)";
const COUNTER: &str = "UPDATE counters SET items = ?, bytes = ? WHERE slot = ?";
const LOG: &str = "UPDATE audit_log SET name = ?, last = ?";
const INDEX: &str = "INSERT INTO search (search) VALUES ('rebuild')";
/// Writes the whole log into the file; no other process is there.
const EMPTY_LOG: &str = "PRAGMA wal_checkpoint(TRUNCATE)";

/// A vault being filled.
pub(super) struct FillingVault {
    inner: Arc<Inner>,
    user: UserId,
    conn: Conn,
    staged: PathBuf,
    head: Row,
    counters: Vec<Row>,
}

impl FillingVault {
    /// Starts with an empty vault in a temporary file beside this user's vault.
    pub(super) async fn begin(inner: &Arc<Inner>, user: &UserId) -> Result<Self> {
        let options = inner.options()?;
        let staged = inner.vault_file(user).with_extension("moving");
        let path = staged.clone();
        files::off_thread(move || remove_database(&path)).await?.map_err(|error| errors::io(DOING, &error))?;
        let file = inner.file_of(user, staged.clone())?;
        // The keys were copied, or are created now for a vault that had none.
        let key = file.make_key(options).await?;
        inner.template.copy_to(&staged, key.as_deref(), options).await?;
        let mut conn = file.open(crate::sqlite::file::Use::Write, options).await?.0;
        conn.run(DOING, "BEGIN IMMEDIATE", Args::new()).await?;
        Ok(Self { inner: Arc::clone(inner), user: user.clone(), conn, staged, head: Row::new(), counters: Vec::new() })
    }

    /// Writes single values and counters last, because triggers count while rows are inserted.
    async fn end(&mut self) -> Result<()> {
        if let [settings, revision, pruned, hash, _changes, outbox, asked] = self.head.as_slice() {
            let mut args = Args::new();
            for cell in [settings, revision, pruned, hash, asked, outbox] {
                sql::push(&mut args, cell);
            }
            self.conn.run(DOING, HEAD, args).await?;
        }
        let args = Args::new().with(self.user.as_str().to_owned());
        self.conn.run(DOING, SET_OWNER, args).await?;
        for row in &self.counters {
            if let [slot, items, bytes] = row.as_slice() {
                let mut args = Args::new();
                for cell in [items, bytes, slot] {
                    sql::push(&mut args, cell);
                }
                self.conn.run(DOING, COUNTER, args).await?;
            }
        }
        self.conn.run("indexing texts", INDEX, Args::new()).await?;
        self.conn.run(DOING, "COMMIT", Args::new()).await?;
        self.conn.run(DOING, EMPTY_LOG, Args::new()).await.map(drop)
    }
}

#[async_trait]
impl Filling for FillingVault {
    async fn put(&mut self, table: &'static Table, rows: Vec<Row>) -> Result<()> {
        match table.lies {
            Lies::Head => self.head = rows.into_iter().next().unwrap_or_default(),
            Lies::Counters => self.counters.extend(rows),
            Lies::Log | Lies::Alike => {
                late::create(&mut self.conn, table.files).await?;
                insert(&mut self.conn, table, &rows).await?;
            }
        }
        Ok(())
    }

    async fn commit(mut self: Box<Self>, known: Known) -> Result<()> {
        let ended = self.end().await;
        let Self { inner, user, conn, staged, .. } = *self;
        conn.close().await.and(ended)?;
        let to = inner.vault_file(&user);
        let folder = folder_of(&to).to_owned();
        let _held = files::lock(lock_of(&folder)).await?;
        let publish = move || publish(&staged, &to);
        files::off_thread(publish).await?.map_err(|error| errors::io("moving a vault into position", &error))?;
        inner.log.know(&user.folder_name(), Some(&known)).await
    }

    async fn give_up(self: Box<Self>) {
        // The temporary file is never read, and the next copy replaces it.
        let _ = self.conn.close().await;
    }
}

async fn insert(conn: &mut Conn, table: &Table, rows: &[Row]) -> Result<()> {
    let mut args = Args::new();
    rows.iter().flatten().for_each(|cell: &Cell| sql::push(&mut args, cell));
    conn.run(DOING, sql::insert(table, rows.len()), args).await.map(drop)
}

/// Moves a complete vault into place; no other process has either file open.
fn publish(staged: &Path, to: &Path) -> io::Result<()> {
    fs::File::open(staged)?.sync_all()?;
    // The log of one file must not be applied to the other.
    for log in [beside(to, "-wal"), beside(to, "-shm"), beside(staged, "-wal"), beside(staged, "-shm")] {
        remove(&log)?;
    }
    fs::rename(staged, to)?;
    files::sync_folder(folder_of(to))
}

fn remove_database(path: &Path) -> io::Result<()> {
    remove(path)?;
    remove(&beside(path, "-wal"))?;
    remove(&beside(path, "-shm"))
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

/// The tables shared by all users, being filled.
pub(super) struct FillingSystem(Conn);

impl FillingSystem {
    /// Starts with empty tables.
    pub(super) async fn begin(mut conn: Conn) -> Result<Self> {
        conn.run(DOING, "BEGIN IMMEDIATE", Args::new()).await?;
        for table in OF_ALL.iter().filter(|table| table.lies == Lies::Alike) {
            conn.run(DOING, format!("DELETE FROM {}", table.files), Args::new()).await?;
        }
        Ok(Self(conn))
    }
}

#[async_trait]
impl Filling for FillingSystem {
    async fn put(&mut self, table: &'static Table, rows: Vec<Row>) -> Result<()> {
        if table.lies != Lies::Log {
            return insert(&mut self.0, table, &rows).await;
        }
        let mut args = Args::new();
        rows.iter().flatten().for_each(|cell| sql::push(&mut args, cell));
        self.0.run(DOING, LOG, args).await.map(drop)
    }

    async fn commit(mut self: Box<Self>, _known: Known) -> Result<()> {
        let committed = self.0.run(DOING, "COMMIT", Args::new()).await;
        self.0.close().await.and(committed.map(drop))
    }

    async fn give_up(self: Box<Self>) {
        let _ = self.0.close().await;
    }
}
