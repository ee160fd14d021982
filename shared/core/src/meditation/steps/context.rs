//! What a step proposes from.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::Step;
use super::reason::Shared;
use crate::error::Result;
use crate::ids::UserId;
use crate::meditation::fingerprint::decided;
use crate::meditation::{Fingerprint, Snapshot};
use crate::ports::{BoxFuture, VaultReader, Vaults, VectorReader};

/// The vault of a run.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    /// The vaults.
    pub vaults: &'a Arc<dyn Vaults>,
    /// Whose it is.
    pub user: &'a UserId,
    /// The vectors of all users, if there are any.
    pub vectors: Option<&'a Arc<dyn VectorReader>>,
}

/// What a step proposes from.
pub struct Context<'a> {
    /// One consistent picture of the vault without content, as the steps before leave it.
    pub picture: &'a Snapshot,
    /// Where everything else is.
    pub(in crate::meditation) source: Source<'a>,
    /// What steps read once for all.
    pub(in crate::meditation) shared: &'a Shared,
    /// Whether the step leaves something over.
    left_over: AtomicBool,
}

impl<'a> Context<'a> {
    /// That of one step.
    pub(in crate::meditation) const fn new(picture: &'a Snapshot, source: Source<'a>, shared: &'a Shared) -> Self {
        Self { picture, source, shared, left_over: AtomicBool::new(false) }
    }

    /// Notes that the step leaves something over for another run, as it has no room, or has not read everything.
    pub(in crate::meditation) fn leave_over(&self) {
        self.left_over.store(true, Ordering::Relaxed);
    }

    /// Whether it does.
    pub(in crate::meditation) fn leaves_over(&self) -> bool {
        self.left_over.load(Ordering::Relaxed)
    }

    /// What the step is to read, if it follows from that what it proposes.
    pub(in crate::meditation) async fn fingerprint(&self, step: &dyn Step) -> Result<Option<Fingerprint>> {
        let Some(rules) = step.rules().filter(|_| self.picture.only.is_empty()) else { return Ok(None) };
        let vectors = self.source.vectors.map(|vectors| vectors.active(self.source.user));
        // Vectors that cannot be read say nothing to a step either.
        let vectors = vectors.and_then(|state| state.ok().flatten());
        let decided = self.read(|reader| Box::pin(decided(reader))).await?;
        Ok(Some(Fingerprint::of((step.name(), rules), self.picture, &decided, vectors.as_ref())))
    }

    /// Reads the vault on a snapshot of its own, which is given back before the next step, or a model, is asked: nothing
    /// is held while a step waits.
    pub async fn read<T, F>(&self, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: for<'r> FnMut(&'r mut dyn VaultReader) -> BoxFuture<'r, Result<T>> + Send + 'static,
    {
        self.source.vaults.read(self.source.user, work).await
    }
}
