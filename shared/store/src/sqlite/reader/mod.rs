//! Reads a vault: one file per concern, and the port's methods, which call them (`delegate`).

mod attachments;
mod cached_columns;
mod changes;
mod consents;
mod context;
mod decisions;
mod derived;
mod embedding;
mod export;
mod goals;
mod known;
mod lexical;
mod list;
mod meditations;
mod memories;
mod names;
mod outbox;
mod retention;
mod scoring;
mod sealed;
mod seqs;
mod sizes;
mod spots;
mod substring;
mod words;

use std::marker::PhantomData;
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use kimberly_core::audit::{Actor, AuditRecord};
use kimberly_core::error::Result;
use kimberly_core::ports::{AuditQuery, AuditRange, AuditReader};

use super::audit::{In, Log};
use super::conn::Conn;
use super::options::SqliteOptions;
use super::texts::Texts;
use crate::audit::{Stored as _, entries};
use crate::cache::{Budget, Seen, VaultCache};
use crate::columns::Columns;
use crate::declared;

pub(crate) use context::usage;
use known::Known;

/// Marks read-only access.
pub(crate) struct Reading;
/// Marks access in a transaction.
pub(crate) struct Writing;

/// What readers cache of a vault.
pub(crate) struct Caches {
    columns: VaultCache<Columns>,
    texts: VaultCache<Texts>,
    known: VaultCache<Known>,
}

impl Caches {
    pub(crate) fn new(budget: &Arc<Budget>) -> Self {
        let budget = || Arc::clone(budget);
        Self { columns: VaultCache::new(budget()), texts: VaultCache::new(budget()), known: VaultCache::new(budget()) }
    }

    /// Reports whether texts are cached.
    pub(crate) fn hold_texts(&self) -> bool {
        self.texts.look().is_some()
    }

    /// Evicts the texts.
    pub(crate) fn forget_texts(&self) {
        self.texts.forget();
    }

    /// Evicts texts from before this number of changes.
    pub(crate) fn forget_texts_before(&self, changes: i64) {
        self.texts.forget_before(changes);
    }
}

/// Returns the number of changes that recall sees in the snapshot, other than new memories.
pub(crate) async fn recall_changes(conn: &mut Conn) -> Result<i64> {
    Ok(cached_columns::stamp_now(conn).await?.changes)
}

/// Access to one vault over one connection, in one snapshot or transaction.
pub(crate) struct Access<'c, M> {
    pub(crate) conn: &'c mut Conn,
    /// The vault's folder; `None` when reading the empty vault of a user without one.
    folder: Option<&'c Path>,
    /// The cache of columns. `None` in transactions, which see uncommitted changes.
    columns: Option<&'c VaultCache<Columns>>,
    /// The cache of texts. `None` in transactions.
    texts: Option<&'c VaultCache<Texts>>,
    /// The incarnation of the vault's file, which distinguishes it from earlier vaults of the user.
    file: u64,
    seen: Seen<Columns>,
    /// The cache of facts for a version; `None` in transactions.
    known: Option<&'c VaultCache<Known>>,
    /// The version, once it was read.
    commits: Option<u64>,
    /// The cached facts of that version.
    here: Option<Arc<Known>>,
    /// Checks free space before additions; `None` for readers.
    room: Option<&'c SqliteOptions>,
    /// The actor that audit entries name.
    pub(super) acting: Actor,
    mode: PhantomData<M>,
}

impl<'c, M> Access<'c, M> {
    pub(crate) fn new(conn: &'c mut Conn, folder: Option<&'c Path>) -> Self {
        Self {
            conn,
            folder,
            columns: None,
            texts: None,
            file: 0,
            seen: Seen::Unknown,
            known: None,
            commits: None,
            here: None,
            room: None,
            acting: Actor::System,
            mode: PhantomData,
        }
    }

    /// Adds the caches for readers.
    pub(crate) fn with_caches(self, caches: &'c Caches) -> Self {
        let Caches { columns, texts, known } = caches;
        Self { columns: Some(columns), texts: Some(texts), known: Some(known), ..self }
    }

    /// Adds the check for free space.
    pub(crate) fn with_room(self, room: &'c SqliteOptions) -> Self {
        Self { room: Some(room), ..self }
    }

    /// Refuses additions while the disk's free space is below the reserve.
    pub(super) fn refuse_adding(&self) -> Result<()> {
        self.room.map_or(Ok(()), SqliteOptions::refuse_adding)
    }

    /// Sets the incarnation of the file, so that caches of a purged vault are never used for the next one.
    pub(crate) fn of_file(self, incarnation: u64) -> Self {
        Self { file: incarnation, ..self }
    }
}

crate::delegate::vault_reader! {
    async fn usage(&mut self) -> Result<Usage> {
        usage(self.conn).await
    }
    async fn sizes(&mut self) -> Result<VaultSizes> {
        sizes::sizes(self.conn, self.folder).await
    }
    async fn vocabulary(
        &mut self,
        first_letters: &[char],
        min_len: usize,
        max_len: usize,
    ) -> Result<Vec<(String, u64)>> {
        words::vocabulary(self, first_letters, (min_len, max_len)).await
    }
    async fn speakers(&mut self) -> Result<Vec<(i64, String)>> {
        known::speakers(self).await
    }
    async fn data_version(&mut self) -> Result<u64> {
        let commits = known::commits(self).await?;
        Ok(if commits == 0 { 0 } else { commits | self.file })
    }
    async fn evidence_version(&mut self) -> Result<u64> {
        Ok(known::evidence_changes(self.conn).await? | self.file)
    }
    async fn rows(&mut self, query: &RowQuery) -> Result<Vec<Row>> {
        if known::is_empty(self, query.table) { Ok(Vec::new()) } else { declared::rows(self.conn, query).await }
    }
    async fn count_rows(&mut self, query: &RowQuery, sum: Option<&'static str>) -> Result<RowCount> {
        if known::is_empty(self, query.table) {
            return Ok(RowCount::default());
        }
        declared::count(self.conn, query, sum).await
    }
}

#[async_trait]
impl<M: Send + Sync> AuditReader for Access<'_, M> {
    async fn audit_range(&mut self) -> Result<AuditRange> {
        In::new(self.conn, &Log::VAULT).range().await
    }
    async fn audit_entries(&mut self, query: &AuditQuery) -> Result<Vec<AuditRecord>> {
        entries(&mut In::new(self.conn, &Log::VAULT), query).await
    }
}

/// Converts a limit for SQLite; statements must use it as `LIMIT +?`. A bare parameter as the limit makes SQLite parse
/// and plan the statement again on every bind, which takes longer than most queries.
pub(crate) fn limit(n: usize) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}
