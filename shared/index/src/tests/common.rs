//! A data folder with vaults, and vectors generated from a seed.

use std::path::PathBuf;

use crate::{IndexReader, IndexWriter, Options};
use kimberly_core::UserId;
use kimberly_core::embedding::{EmbeddedItem, ModelKey, VectorSubject};
use kimberly_core::ids::{GoalId, Seq};
use kimberly_core::ports::IndexChange;

/// A temporary data folder.
pub(super) struct Data {
    folder: tempfile::TempDir,
}

impl Data {
    pub(super) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub(super) fn path(&self) -> PathBuf {
        self.folder.path().to_owned()
    }

    /// A user with a vault.
    pub(super) fn user(&self, name: &str) -> UserId {
        let user = UserId::parse(name).unwrap();
        std::fs::create_dir_all(vault(&self.path(), &user)).unwrap();
        user
    }

    pub(super) fn writer(&self) -> IndexWriter {
        IndexWriter::new(self.path(), Options::default())
    }

    pub(super) fn reader(&self) -> IndexReader {
        IndexReader::new(self.path(), Options::default())
    }

    pub(super) fn index(&self, user: &UserId, model: &ModelKey) -> PathBuf {
        vault(&self.path(), user).join("vectors").join(model.slug())
    }
}

pub(super) fn vault(data: &std::path::Path, user: &UserId) -> PathBuf {
    let name = user.folder_name();
    data.join("vaults").join(&name[..2]).join(&name)
}

pub(super) fn model(dimension: u32) -> ModelKey {
    ModelKey::new("test-model", "0123456789abcdef", dimension).unwrap()
}

pub(super) fn memory(seq: i64) -> VectorSubject {
    VectorSubject::Memory(Seq(seq))
}

pub(super) fn goal(number: u128) -> VectorSubject {
    VectorSubject::Goal(GoalId(uuid::Uuid::from_u128(number)))
}

/// Pseudo-random components between -1 and 1.
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

/// Memories `seqs` with one vector each, seeded by their numbers.
pub(super) fn memories(dimension: u32, seqs: impl Iterator<Item = i64>) -> IndexChange {
    let put = seqs.map(|seq| item(memory(seq), 1, vec![vector(dimension, seq.cast_unsigned())])).collect();
    IndexChange { put, ..IndexChange::default() }
}

pub(super) fn cosine(a: &[f32], b: &[f32]) -> f32 {
    let dot = |x: &[f32], y: &[f32]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f32>();
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}
