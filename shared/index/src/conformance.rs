//! Vectors from a seed, and a claim about the ports of vectors: for tests of this crate and of other implementations.
#![expect(clippy::unwrap_used, clippy::missing_panics_doc, reason = "a claim that does not hold stops its test")]

use kimberly_core::embedding::{EmbeddedItem, ModelKey, VectorSubject};
use kimberly_core::ids::{GoalId, Seq, UserId};
use kimberly_core::ports::{IndexChange, VectorWriter};
use uuid::Uuid;

/// A model of this dimension.
pub fn model(dimension: u32) -> ModelKey {
    ModelKey::new("test-model", "0123456789abcdef", dimension).unwrap()
}

/// Another model, of 16 dimensions.
pub fn newer() -> ModelKey {
    ModelKey::new("new-model", "fedcba9876543210", 16).unwrap()
}

/// A memory.
pub fn memory(seq: i64) -> VectorSubject {
    VectorSubject::Memory(Seq(seq))
}

/// A goal.
pub fn goal(number: u128) -> VectorSubject {
    VectorSubject::Goal(GoalId(Uuid::from_u128(number)))
}

/// Pseudo-random components between -1 and 1.
pub fn vector(dimension: u32, seed: u64) -> Vec<f32> {
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

/// An item with a fingerprint that follows from its revision.
pub fn item(subject: VectorSubject, revision: u64, vectors: Vec<Vec<f32>>) -> EmbeddedItem {
    EmbeddedItem { subject, revision, fingerprint: revision ^ 0xabcd, vectors }
}

/// Memories `seqs` with one vector each, seeded by their numbers.
pub fn memories(dimension: u32, seqs: impl Iterator<Item = i64>) -> IndexChange {
    let put = seqs.map(|seq| item(memory(seq), 1, vec![vector(dimension, seq.cast_unsigned())])).collect();
    IndexChange { put, ..IndexChange::default() }
}

/// The cosine of two vectors.
pub fn cosine(a: &[f32], b: &[f32]) -> f32 {
    let dot = |x: &[f32], y: &[f32]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f32>();
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}

/// Two models of a user without vectors answer side by side until the switch, which drops the old one's vectors.
pub fn both_models_answer_until_the_switch(writer: &impl VectorWriter, user: &UserId) {
    let (old, new) = (model(8), newer());
    writer.write(user, &old, &memories(8, 0..10)).unwrap();
    assert_eq!(writer.active(user).unwrap(), None, "no index is active before the activation");
    writer.activate(user, &old).unwrap();
    assert_eq!(writer.building(user).unwrap(), None);
    writer.write(user, &new, &memories(16, 0..5)).unwrap();
    assert_eq!(writer.active(user).unwrap().unwrap().model, old);
    let building = writer.building(user).unwrap().unwrap();
    assert_eq!((building.model, building.items), (new.clone(), 5));
    writer.write(user, &old, &memories(8, 0..1)).unwrap();
    assert_eq!(writer.building(user).unwrap().unwrap().model, new, "the active index is not the one being built");
    let has = |model: &ModelKey, seq| writer.contains(user, model, &[memory(seq)]).unwrap()[0];
    assert!(has(&old, 7) && !has(&new, 7) && has(&old, 3) && has(&new, 3));
    assert_eq!(writer.nearest(user, &old, &vector(8, 3), 1).unwrap()[0].seq.0, 3);
    assert_eq!(writer.nearest(user, &new, &vector(16, 4), 1).unwrap()[0].seq.0, 4);
    assert_eq!((writer.items(user, &old).unwrap().len(), writer.items(user, &new).unwrap().len()), (10, 5));

    writer.activate(user, &new).unwrap();
    assert_eq!(writer.active(user).unwrap().unwrap().model, new);
    assert_eq!(writer.building(user).unwrap(), None);
    assert!(!has(&old, 7) && !has(&new, 7) && has(&new, 3));
    assert_eq!(writer.nearest(user, &old, &vector(8, 3), 1).unwrap(), []);
    assert_eq!(writer.state(user, &old).unwrap(), None);
    // Switches back, to an empty index.
    writer.write(user, &old, &memories(8, 0..2)).unwrap();
    writer.activate(user, &old).unwrap();
    assert_eq!(writer.active(user).unwrap().unwrap().vectors, 2);
    writer.drop_all(user).unwrap();
    writer.drop_all(user).unwrap();
    assert_eq!((writer.active(user).unwrap(), writer.state(user, &old).unwrap()), (None, None));
}
