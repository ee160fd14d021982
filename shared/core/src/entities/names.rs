//! The names of a vault, each with the sum of its mentions.

use std::collections::{BTreeMap, BTreeSet};

use uuid::Uuid;

use super::{EntityType, Mention, NameId, normal};
use crate::ids::MemoryId;
use crate::time::Timestamp;

/// Least confidence of mentions that add up. Weaker ones, such as capitals at the start of sentences, do not.
const COUNTS: f64 = 0.3;

/// A name with no mention this sure counts as an ordinary word unless at least one in [`RARE`] of its records mentions
/// it firmly.
const SURE: f64 = 0.6;
const RARE: usize = 4;

/// A name with the sums of its mentions.
#[derive(Clone, Debug)]
pub(super) struct Name {
    pub(super) id: NameId,
    pub(super) space: Uuid,
    /// Normal form of the name.
    pub(super) normal: String,
    /// How often each spelling occurs.
    pub(super) surfaces: BTreeMap<String, u64>,
    /// Sum of confidences for each type, in the order of `EntityType::ALL`.
    kinds: [f64; EntityType::ALL.len()],
    /// The surest mention in each record.
    pub(super) memories: BTreeMap<MemoryId, f64>,
    pub(super) mentions: u64,
    pub(super) first: Timestamp,
    pub(super) last: Timestamp,
}

impl Name {
    fn new(mention: &Mention) -> Self {
        Self {
            id: mention.name,
            space: mention.space,
            normal: normal(mention.kind, &mention.surface),
            surfaces: BTreeMap::new(),
            kinds: [0.0; EntityType::ALL.len()],
            memories: BTreeMap::new(),
            mentions: 0,
            first: mention.at,
            last: mention.at,
        }
    }

    fn add(&mut self, mention: &Mention) {
        *self.surfaces.entry(mention.surface.clone()).or_default() += 1;
        if let Some(votes) = EntityType::ALL.iter().zip(&mut self.kinds).find(|(kind, _)| **kind == mention.kind) {
            *votes.1 += mention.confidence;
        }
        let surest = self.memories.entry(mention.memory).or_default();
        *surest = surest.max(mention.confidence);
        self.mentions += 1;
        self.first = self.first.min(mention.at);
        self.last = self.last.max(mention.at);
    }

    /// The words of the name.
    pub(super) fn words(&self) -> Vec<&str> {
        self.normal.split(' ').collect()
    }

    /// The type with most support.
    pub(super) fn kind(&self) -> EntityType {
        most(&self.kinds)
    }

    /// Reports whether it has support beyond the start of sentences.
    pub(super) fn is_firm(&self) -> bool {
        self.memories.values().any(|confidence| *confidence >= COUNTS)
    }

    /// Confidence that the name is an entity at all.
    pub(super) fn strength(&self) -> f64 {
        let counting = self.memories.values().filter(|confidence| **confidence >= COUNTS);
        let surest = self.memories.values().copied().fold(0.0, f64::max);
        let firm = self.memories.values().filter(|confidence| **confidence >= COUNTS).count();
        if surest < SURE && firm * RARE < self.memories.len() {
            return 0.0;
        }
        (1.0 - counting.fold(1.0, |doubt, confidence| doubt * (1.0 - confidence))).max(surest)
    }

    pub(super) fn votes(&self) -> &[f64; EntityType::ALL.len()] {
        &self.kinds
    }
}

/// The type with most votes; the first of equals.
pub(super) fn most(votes: &[f64; EntityType::ALL.len()]) -> EntityType {
    let all = EntityType::ALL.iter().zip(votes);
    all.fold((EntityType::Person, 0.0), |best, (kind, votes)| if *votes > best.1 { (*kind, *votes) } else { best }).0
}

/// Collects the names in mentions, ordered by id.
pub(super) fn names(mentions: &[Mention]) -> Vec<Name> {
    let mut all: BTreeMap<NameId, Name> = BTreeMap::new();
    for mention in mentions {
        all.entry(mention.name).or_insert_with(|| Name::new(mention)).add(mention);
    }
    all.into_values().collect()
}

/// For each name, by index, the other names that share a record with it.
pub(super) fn company(names: &[Name]) -> Vec<BTreeSet<usize>> {
    let mut held: BTreeMap<MemoryId, Vec<usize>> = BTreeMap::new();
    for (at, name) in names.iter().enumerate() {
        for memory in name.memories.keys() {
            held.entry(*memory).or_default().push(at);
        }
    }
    let mut company = vec![BTreeSet::new(); names.len()];
    for together in held.values().filter(|together| together.len() <= CROWD) {
        for at in together {
            if let Some(others) = company.get_mut(*at) {
                others.extend(together.iter().filter(|other| *other != at));
            }
        }
    }
    company
}

/// Records with more names, such as lists, say nothing about which names belong together.
const CROWD: usize = 32;
