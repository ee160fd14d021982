//! The input of a step.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::Step;
use super::reason::Shared;
use crate::error::Result;
use crate::ids::UserId;
use crate::meditation::{Fingerprint, Snapshot};
use crate::ports::{BoxFuture, VaultReader, Vaults, VectorReader};

/// The vault of a run.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    /// The vaults.
    pub vaults: &'a Arc<dyn Vaults>,
    /// The user whose vault this is.
    pub user: &'a UserId,
    /// The vectors of all users, if there are any.
    pub vectors: Option<&'a Arc<dyn VectorReader>>,
}

/// The input of a step.
pub struct Context<'a> {
    /// One consistent snapshot of the vault without content, as changed by earlier steps.
    pub picture: &'a Snapshot,
    /// Access to everything else.
    pub(in crate::meditation) source: Source<'a>,
    /// Data that steps read once and share.
    pub(in crate::meditation) shared: &'a Shared,
    /// Whether the step leaves work for a later run.
    left_over: AtomicBool,
}

impl<'a> Context<'a> {
    /// Creates the context of one step.
    pub(in crate::meditation) const fn new(picture: &'a Snapshot, source: Source<'a>, shared: &'a Shared) -> Self {
        Self { picture, source, shared, left_over: AtomicBool::new(false) }
    }

    /// Notes that the step leaves work for a later run, because it has no room, or has not read everything.
    pub(in crate::meditation) fn leave_over(&self) {
        self.left_over.store(true, Ordering::Relaxed);
    }

    /// Reports whether the step leaves work for a later run.
    pub(in crate::meditation) fn leaves_over(&self) -> bool {
        self.left_over.load(Ordering::Relaxed)
    }

    /// Returns the fingerprint of the step's evidence, if its proposals depend only on that, and the run is not
    /// restricted to some memories.
    pub(in crate::meditation) fn fingerprint(&self, step: &dyn Step) -> Option<Fingerprint> {
        let rules = step.rules().filter(|_| self.picture.only.is_empty())?;
        let vectors = self.source.vectors.map(|vectors| vectors.active(self.source.user));
        // Vectors that cannot be read do not influence a step either.
        let vectors = vectors.and_then(|state| state.ok().flatten());
        Some(Fingerprint::of((step.name(), rules), self.picture, vectors.as_ref()))
    }

    /// Reads the vault on its own database snapshot, which is released before the next step or a model is called. So no
    /// snapshot is held while a step waits.
    pub async fn read<T, F>(&self, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: for<'r> FnMut(&'r mut dyn VaultReader) -> BoxFuture<'r, Result<T>> + Send + 'static,
    {
        self.source.vaults.read(self.source.user, work).await
    }
}
