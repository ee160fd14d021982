//! What a step proposes from.

use std::sync::Arc;

use super::reason::Shared;
use crate::error::Result;
use crate::ids::UserId;
use crate::meditation::Snapshot;
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
}

impl Context<'_> {
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
