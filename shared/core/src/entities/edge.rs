//! Edges between entities, derived from statements in records and from names that share a sentence.

use std::collections::{BTreeMap, BTreeSet};

use super::{EntityRelation, Graph, Mention, MentionPosition, Tie};
use crate::ids::{EntityId, MemoryId};
use crate::time::{Span, Timestamp};

/// Confidence that two names in one sentence are related.
const TOGETHER: f64 = 0.25;
/// Sentences with more names, such as lists, are ignored.
const CROWD: usize = 6;
/// Edges with at most this confidence are dropped if not seen for [`STALE`].
const WEAK: f64 = 0.35;
const STALE: Span = Span::days(7);
/// Sum of confidences at which an edge's weight is 0.5.
const HALF_STRONG: f64 = 2.0;

/// A record that supports an edge.
#[derive(Clone, Debug, PartialEq)]
pub struct Evidence {
    /// The record's id.
    pub memory: MemoryId,
    /// The bytes of its content that state the relation; empty if it only names both entities.
    pub span: std::ops::Range<u32>,
    /// Confidence from this record alone.
    pub confidence: f64,
    /// When the event in the record happened.
    pub at: Timestamp,
}

/// A relation between two entities.
#[derive(Clone, Debug, PartialEq)]
pub struct Edge {
    /// The first entity.
    pub from: EntityId,
    /// The relation of the first entity to the second.
    pub relation: EntityRelation,
    /// The second entity.
    pub to: EntityId,
    /// Strength, 0 to 1.
    pub weight: f64,
    /// Confidence, 0 to 1.
    pub confidence: f64,
    /// When it was last seen.
    pub verified: Timestamp,
    /// The supporting records, newest first, each once.
    pub evidence: Vec<Evidence>,
}

type Key = (EntityId, EntityRelation, EntityId);

/// Builds all edges of a graph, ordered by their keys. Drops weak stale edges only if `now` is given.
pub(super) fn edges(graph: &Graph, ties: &[Tie], now: Option<Timestamp>) -> Vec<Edge> {
    let mut found: BTreeMap<Key, BTreeMap<MemoryId, Evidence>> = BTreeMap::new();
    let mut add = |key: Key, evidence: Evidence| {
        if key.0 != key.2 {
            let of = found.entry(key).or_default();
            let known = of.entry(evidence.memory).or_insert_with(|| evidence.clone());
            if evidence.confidence > known.confidence {
                *known = evidence;
            }
        }
    };
    for tie in ties {
        if let Some((from, to)) = graph.of_name(tie.from).zip(graph.of_name(tie.to)) {
            let (memory, span, confidence, at) = (tie.memory, tie.span.clone(), tie.confidence, tie.at);
            add(ordered(from.id, tie.relation, to.id), Evidence { memory, span, confidence, at });
        }
    }
    for together in sentences(graph).into_values().filter(|together| (2..=CROWD).contains(&together.0.len())) {
        let (entities, mention) = together;
        for (n, one) in entities.iter().enumerate() {
            for other in entities.iter().skip(n + 1) {
                let (memory, at) = (mention.memory, mention.at);
                let evidence = Evidence { memory, span: 0..0, confidence: TOGETHER, at };
                add(ordered(*one, EntityRelation::RelatedTo, *other), evidence);
            }
        }
    }
    found.into_iter().filter_map(|(key, evidence)| edge(key, evidence, now)).collect()
}

/// The entities that each sentence names, with one of the mentions.
fn sentences(graph: &Graph) -> BTreeMap<(MemoryId, i64), (BTreeSet<EntityId>, &Mention)> {
    let mut all: BTreeMap<(MemoryId, i64), (BTreeSet<EntityId>, &Mention)> = BTreeMap::new();
    for mention in graph.mentions.iter().filter(|mention| matches!(mention.position, MentionPosition::Content(_))) {
        if let Some(entity) = graph.of_name(mention.name) {
            let of = all.entry((mention.memory, mention.sentence)).or_insert_with(|| (BTreeSet::new(), mention));
            of.0.insert(entity.id);
        }
    }
    all
}

fn ordered(from: EntityId, relation: EntityRelation, to: EntityId) -> Key {
    let (from, to) = relation.ordered(from, to);
    (from, relation, to)
}

fn edge((from, relation, to): Key, evidence: BTreeMap<MemoryId, Evidence>, now: Option<Timestamp>) -> Option<Edge> {
    let mut evidence: Vec<Evidence> = evidence.into_values().collect();
    evidence.sort_by(|a, b| b.at.cmp(&a.at).then(a.memory.cmp(&b.memory)));
    let verified = evidence.first()?.at;
    let confidence = 1.0 - evidence.iter().fold(1.0, |doubt, one| doubt * (1.0 - one.confidence));
    let sum: f64 = evidence.iter().map(|one| one.confidence).sum();
    let stale = confidence <= WEAK && now.is_some_and(|now| verified < now.minus(STALE));
    let weight = sum / (sum + HALF_STRONG);
    (!stale).then_some(Edge { from, relation, to, weight, confidence, verified, evidence })
}
