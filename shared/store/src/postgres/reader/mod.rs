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
mod lexical;
mod list;
mod meditations;
mod memories;
mod names;
mod outbox;
mod postings;
mod retention;
mod scoring;
mod sealed;
mod seqs;
mod sizes;
mod speakers;
mod spots;
mod substring;
mod vocabulary;
mod words;

use std::collections::HashMap;
use std::marker::PhantomData;
use std::sync::Arc;

use async_trait::async_trait;
use kimberly_core::audit::{Actor, AuditRecord};
use kimberly_core::error::Result;
use kimberly_core::ports::{AuditQuery, AuditRange, AuditReader};

use super::audit::{In, Log};
use super::conn::Conn;
use super::text::Postings;
use super::user_states::OfVault;
use crate::audit::{Stored as _, entries};
use crate::cache::Seen;
use crate::columns::Columns;
use crate::declared;
use crate::sealed::Tokens;
use crate::slots;

pub(crate) use speakers::Speakers;
pub(crate) use vocabulary::Vocabulary;

/// Marks read-only access.
pub(crate) struct Reading;
/// Marks access in a transaction.
pub(crate) struct Writing;

/// Access to one vault in one snapshot or transaction.
pub(crate) struct Access<'c, M> {
    pub(crate) conn: &'c mut Conn,
    /// The caches of the vault; `None` in transactions, which see uncommitted changes.
    pub(crate) caches: Option<Arc<OfVault>>,
    columns: Seen<Columns>,
    postings: Seen<Postings>,
    /// Whether the vault was searched before; set when this read searches it ([`cached_columns::again`]).
    again: Option<bool>,
    /// Texts tokenized so far: recall asks for its words repeatedly.
    tokens: HashMap<String, Tokens>,
    /// The actor that audit entries name.
    pub(super) acting: Actor,
    mode: PhantomData<M>,
}

impl<'c, M> Access<'c, M> {
    pub(crate) fn new(conn: &'c mut Conn, caches: Option<Arc<OfVault>>) -> Self {
        let (columns, postings, again, tokens) = <_>::default();
        Self { conn, caches, columns, postings, again, tokens, acting: Actor::System, mode: PhantomData }
    }

    /// Returns the tokens of each text.
    async fn tokens(&mut self, texts: &[String]) -> Result<Vec<Tokens>> {
        let new: Vec<String> = texts.iter().filter(|text| !self.tokens.contains_key(*text)).cloned().collect();
        let tokens = self.conn.tokens(&new).await?;
        self.tokens.extend(new.into_iter().zip(tokens));
        Ok(texts.iter().map(|text| self.tokens.get(text).cloned().unwrap_or_default()).collect())
    }
}

crate::delegate::vault_reader! {
    async fn usage(&mut self) -> Result<Usage> {
        self.conn.head.usage()
    }
    async fn sizes(&mut self) -> Result<VaultSizes> {
        sizes::sizes(self.conn).await
    }
    async fn vocabulary(
        &mut self,
        first_letters: &[char],
        min_len: usize,
        max_len: usize,
    ) -> Result<Vec<(String, u64)>> {
        vocabulary::like(self, first_letters, (min_len, max_len)).await
    }
    async fn speakers(&mut self) -> Result<Vec<(i64, String)>> {
        speakers::speakers(self).await
    }
    async fn data_version(&mut self) -> Result<u64> {
        let (commits, _) = self.conn.head.both(slots::COMMITS);
        Ok(if commits == 0 { 0 } else { commits | slots::incarnation(self.conn.head.incarnation) })
    }
    async fn evidence_version(&mut self) -> Result<u64> {
        let (changes, rows) = self.conn.head.both(slots::RECALL);
        Ok((changes + rows) | slots::incarnation(self.conn.head.incarnation))
    }
    async fn rows(&mut self, query: &RowQuery) -> Result<Vec<Row>> {
        declared::rows(self.conn, query).await
    }
    async fn count_rows(&mut self, query: &RowQuery, sum: Option<&'static str>) -> Result<RowCount> {
        declared::count(self.conn, query, sum).await
    }
}

#[async_trait]
impl<M: Send + Sync> AuditReader for Access<'_, M> {
    async fn audit_range(&mut self) -> Result<AuditRange> {
        In::new(self.conn, Log::Vault).range().await
    }
    async fn audit_entries(&mut self, query: &AuditQuery) -> Result<Vec<AuditRecord>> {
        entries(&mut In::new(self.conn, Log::Vault), query).await
    }
}

/// Converts a limit for Postgres.
pub(crate) fn limit(n: usize) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}
