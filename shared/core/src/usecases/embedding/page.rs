//! Reads memories and goals together with the texts of their vectors.

use std::collections::HashMap;

use super::SubjectId;
use crate::embedding::VectorSubject;
use crate::embedding::text::{fingerprint, goal_texts, is_eligible, is_goal_eligible, texts};
use crate::error::Result;
use crate::ids::Seq;
use crate::ports::VaultReader;

/// A memory or goal as the vault holds it.
#[derive(Clone, Debug)]
pub(super) struct Loaded {
    pub(super) subject: VectorSubject,
    pub(super) id: SubjectId,
    pub(super) revision: u64,
    pub(super) texts: Vec<String>,
    pub(super) fingerprint: u64,
}

impl Loaded {
    fn new(subject: VectorSubject, id: SubjectId, revision: u64, texts: Vec<String>) -> Self {
        let fingerprint = fingerprint(&texts);
        Self { subject, id, revision, texts, fingerprint }
    }

    /// Number of its vectors.
    pub(super) fn vectors(&self) -> u64 {
        self.texts.len() as u64
    }

    /// Bytes of its texts.
    pub(super) fn bytes(&self) -> usize {
        self.texts.iter().map(String::len).sum()
    }
}

/// Loads subjects with their texts, in the order given; leaves out those that have no vectors, or no longer.
pub(super) async fn load(reader: &mut dyn VaultReader, subjects: &[VectorSubject]) -> Result<Vec<Loaded>> {
    let seqs: Vec<Seq> = subjects
        .iter()
        .filter_map(|subject| match subject {
            VectorSubject::Memory(seq) => Some(*seq),
            VectorSubject::Goal(_) => None,
        })
        .collect();
    let mut found: HashMap<VectorSubject, Loaded> = HashMap::with_capacity(subjects.len());
    for memory in reader.memories(&seqs).await?.iter().filter(|memory| is_eligible(memory)) {
        let subject = VectorSubject::Memory(memory.seq);
        found.insert(subject, Loaded::new(subject, SubjectId::Memory(memory.id), memory.revision, texts(memory)));
    }
    for subject in subjects {
        let VectorSubject::Goal(id) = subject else { continue };
        if let Some(goal) = reader.goal(*id).await?.filter(is_goal_eligible) {
            found.insert(*subject, Loaded::new(*subject, SubjectId::Goal(*id), goal.revision, goal_texts(&goal)));
        }
    }
    Ok(subjects.iter().filter_map(|subject| found.remove(subject)).collect())
}
