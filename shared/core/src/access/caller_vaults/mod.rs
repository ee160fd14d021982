//! Vaults as seen by a caller who may reach only some memories of their users.
//!
//! A decorator over the ports: to every use case, memories out of reach do not exist. They are filtered out before they are
//! read, so that a hidden memory costs the same as an absent one. Requests about a whole vault are refused with
//! [`Error::Denied`]; no call that such a caller may make needs one. The methods of the ports have no defaults, so that a
//! new method does not compile until it is decided here.
//!
//! The conformance suite (`store/src/conformance/rows`) compares every reading method with that of a vault that never
//! held the hidden memories.

mod narrowed;
mod reader;
mod transaction;

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;

use super::{Grant, Rows};
use crate::error::{Error, Relief, Result};
use crate::ids::{MemoryId, Seq, UserId};
use crate::ports::{BoxFuture, ReadWork, RowFacts, TransactWork, VaultReader, Vaults};
use crate::statements::{Forgotten, VaultKey};
use crate::tables::{RowQuery, Table, TableRow as _};

/// Vaults limited to the memories that a caller may reach.
pub struct CallerVaults {
    vaults: Arc<dyn Vaults>,
    grant: Arc<Grant>,
    /// The caller's name.
    name: Arc<str>,
}

impl CallerVaults {
    /// Limits vaults to the memories that the grant covers, for the caller of this name. Whether the caller reaches
    /// the user is decided by [`decide`](super::decide).
    pub fn new(vaults: Arc<dyn Vaults>, grant: Arc<Grant>, name: Arc<str>) -> Self {
        Self { vaults, grant, name }
    }

    fn limited(&self, work: TransactWork) -> TransactWork {
        let (grant, of, work) = (Arc::clone(&self.grant), Arc::clone(&self.name), Arc::new(Mutex::new(work)));
        Box::new(move |tx| {
            let (grant, of, work) = (Arc::clone(&grant), Arc::clone(&of), Arc::clone(&work));
            Box::pin(async move {
                let mut limited = Limited { inner: tx, rows: &grant.rows, name: &of };
                let running = {
                    let mut work = work.lock().unwrap_or_else(PoisonError::into_inner);
                    (*work)(&mut limited)
                };
                running.await
            })
        })
    }
}

#[async_trait]
impl Vaults for CallerVaults {
    async fn read_with(&self, user: &UserId, work: ReadWork) -> Result<()> {
        let (grant, name, work) = (Arc::clone(&self.grant), Arc::clone(&self.name), Arc::new(Mutex::new(work)));
        let limited: ReadWork = Box::new(move |reader| {
            let (grant, name, work) = (Arc::clone(&grant), Arc::clone(&name), Arc::clone(&work));
            Box::pin(async move {
                let mut limited = Limited { inner: reader, rows: &grant.rows, name: &name };
                // Locked only to start the work.
                let running = {
                    let mut work = work.lock().unwrap_or_else(PoisonError::into_inner);
                    (*work)(&mut limited)
                };
                running.await
            })
        });
        self.vaults.read_with(user, limited).await
    }

    async fn transact_with(&self, user: &UserId, name: &'static str, work: TransactWork) -> Result<()> {
        self.vaults.transact_with(user, name, self.limited(work)).await.map_err(without_figures)
    }

    async fn transact_existing_with(&self, user: &UserId, name: &'static str, work: TransactWork) -> Result<bool> {
        self.vaults.transact_existing_with(user, name, self.limited(work)).await.map_err(without_figures)
    }

    fn next_commit(&self, user: &UserId) -> BoxFuture<'static, ()> {
        self.vaults.next_commit(user)
    }

    async fn empty_log(&self, user: &UserId) -> Result<bool> {
        self.vaults.empty_log(user).await
    }

    fn open_vaults(&self) -> usize {
        self.vaults.open_vaults()
    }

    async fn close(&self) {
        self.vaults.close().await;
    }
}

/// Removes the numbers from errors about full tiers, since they also count memories out of reach.
fn without_figures(error: Error) -> Error {
    match error {
        Error::QuotaExceeded { tier, limit, requested, relief, .. } => {
            let relief = if matches!(relief, Relief::Quota(_)) { Relief::Quota(None) } else { relief };
            Error::QuotaExceeded { tier, used: None, limit, requested, relief }
        }
        Error::TooMuchProtected { tier, limit, requested, .. } => {
            Error::TooMuchProtected { tier, used: None, limit, requested, raise_to: None }
        }
        Error::AttachmentsFull { limit, requested, .. } => Error::AttachmentsFull { used: None, limit, requested },
        other => other,
    }
}

/// A reader or transaction that hides memories out of reach.
struct Limited<'a, R: ?Sized> {
    inner: &'a mut R,
    rows: &'a Rows,
    name: &'a str,
}

impl<R: VaultReader + ?Sized> Limited<'_, R> {
    /// Returns the facts of the reachable memories among these, in the order of the ids.
    async fn reached(&mut self, ids: &[MemoryId]) -> Result<Vec<(MemoryId, RowFacts)>> {
        let facts = self.inner.row_facts(ids).await?;
        let known = ids.iter().zip(facts).filter_map(|(id, facts)| Some((*id, facts?)));
        Ok(known.filter(|(_, facts)| !facts.withheld && self.rows.admit_facts(facts)).collect())
    }

    /// Returns the numbers whose memories are reachable.
    async fn reached_numbers(&mut self, seqs: &[Seq]) -> Result<HashSet<Seq>> {
        let found = self.inner.at_seqs(seqs, &self.rows.filter()).await?;
        Ok(found.into_iter().map(|hit| hit.seq).collect())
    }

    /// Narrows a query to rows whose memories are all reachable; `None` if no row can match. A table without memory columns
    /// counts as data of the whole vault and is refused.
    fn rows_within(&self, query: &RowQuery) -> Result<Option<RowQuery>> {
        if is_of_digests(query.table) {
            return Ok(Some(query.clone()));
        }
        if query.table.memories().next().is_none() {
            return refused();
        }
        let narrowed = self.rows.within(&query.memories);
        Ok(narrowed.map(|memories| RowQuery { memories, ..query.clone() }))
    }

    /// Refuses unless all these memories are reachable.
    async fn must_reach(&mut self, seqs: &[Seq]) -> Result<()> {
        let reached = self.reached_numbers(seqs).await?;
        if seqs.iter().all(|seq| reached.contains(seq)) { Ok(()) } else { Err(Error::Denied) }
    }
}

/// Reports whether a table holds only digests, which tell a caller no more than what they sent.
fn is_of_digests(table: &Table) -> bool {
    [Forgotten::TABLE.name, VaultKey::TABLE.name].contains(&table.name)
}

/// The answer to a request about a whole vault.
fn refused<T>() -> Result<T> {
    Err(Error::Denied)
}
