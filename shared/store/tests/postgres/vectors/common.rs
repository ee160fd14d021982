//! Shared by the tests of vectors: users with vaults.

use kimberly_core::UserId;
use kimberly_store::conformance::fixtures::{draft, user};
use kimberly_store::{PgStore, PgVectors, VectorOptions};

use crate::postgres::common::{Database, bed};

/// A database with vectors.
pub(super) struct World {
    pub(super) database: Database,
    pub(super) store: PgStore,
    pub(super) vectors: PgVectors,
}

impl World {
    pub(super) async fn make() -> Self {
        Self::make_with(VectorOptions::default()).await
    }

    pub(super) async fn make_with(options: VectorOptions) -> Self {
        let database = Database::with_tables().await;
        let store = database.store().await;
        let vectors = store.vectors(options).await.unwrap();
        Self { database, store, vectors }
    }

    /// Creates a user with a vault.
    pub(super) async fn user(&self, name: &str) -> UserId {
        bed(self.store.clone(), ()).remember(name, [draft("one walrus")]).await;
        user(name)
    }
}
