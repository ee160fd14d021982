//! Shared by the tests of vectors: users with vaults, and vectors generated from a seed.

use kimberly_core::UserId;
use kimberly_core::embedding::{EmbeddedItem, ModelKey, VectorSubject};
use kimberly_core::ids::{GoalId, Seq};
use kimberly_core::ports::IndexChange;
use kimberly_store::conformance::fixtures::{draft, user};
use kimberly_store::{PgStore, PgVectors, VectorOptions};
use uuid::Uuid;

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

pub(super) fn model(dimension: u32) -> ModelKey {
    ModelKey::new("test-model", "0123456789abcdef", dimension).unwrap()
}

pub(super) fn newer() -> ModelKey {
    ModelKey::new("new-model", "fedcba9876543210", 16).unwrap()
}

pub(super) fn memory(seq: i64) -> VectorSubject {
    VectorSubject::Memory(Seq(seq))
}

pub(super) fn goal(number: u128) -> VectorSubject {
    VectorSubject::Goal(GoalId(Uuid::from_u128(number)))
}

/// Generates numbers from a seed, uniform in -1 to 1.
pub(super) fn vector(dimension: u32, seed: u64) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        f32::from(u16::try_from(state >> 48).unwrap()) / 32_768.0 - 1.0
    };
    for _ in 0..4 {
        next();
    }
    (0..dimension).map(|_| next()).collect()
}

pub(super) fn item(subject: VectorSubject, revision: u64, vectors: Vec<Vec<f32>>) -> EmbeddedItem {
    EmbeddedItem { subject, revision, fingerprint: revision ^ 0xabcd, vectors }
}

/// Memories `seqs` with one vector each, generated from their numbers.
pub(super) fn memories(dimension: u32, seqs: impl Iterator<Item = i64>) -> IndexChange {
    let put = seqs.map(|seq| item(memory(seq), 1, vec![vector(dimension, seq.cast_unsigned())])).collect();
    IndexChange { put, ..IndexChange::default() }
}

pub(super) fn cosine(a: &[f32], b: &[f32]) -> f32 {
    let dot = |x: &[f32], y: &[f32]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f32>();
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}
