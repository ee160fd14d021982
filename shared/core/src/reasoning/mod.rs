//! Conclusions from records (Y-7): deductions from relations between entities, and inductions from similar events.
//!
//! Pure. A premise is a record that states something plainly and holds now. Nothing is concluded from sensitive, named
//! or concluded records, so that a conclusion is at most two steps away from a statement. All premises of a conclusion
//! share namespace, tier and consent, which it inherits: callers who may see it may see them. It uses only names that
//! its premises use, so it contains no word from elsewhere. Sentences that the rules do not understand are ignored.

mod chains;
mod conclusion;
mod kin;
mod narrative;
mod plain;
mod preference;
mod rule;
mod stated;
#[cfg(test)]
mod tests;
mod together;
mod weekday;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use sha2::{Digest as _, Sha256};

use crate::entities::{Edge, Entity, EntityRelation, Graph, Mention, MentionPosition};
use crate::ids::{EntityId, MemoryId};
use crate::memory::{Layer, Memory, MemoryState, Tier};
use crate::time::Timestamp;

pub use conclusion::{Conclusion, Premise};
pub use narrative::{Narrative, PROFILES};
pub use rule::Rule;
use stated::Stated;

/// Most conclusions about an entity at a time.
pub const MOST: usize = 5;
/// Most premises of a conclusion.
const PREMISES: usize = 8;
/// Words that refer to the speaker.
const FIRST_PERSON: &[&str] = &["i", "i'm", "i've", "we", "we've", "my", "me", "our", "us"];
/// The name that stands for the vault's owner.
const USER: &str = "user";
const OWNER: &str = "the user";

/// A number that identifies a text in records of changes, which contain no text.
pub fn digest_of(text: &str) -> u64 {
    Sha256::digest(text).iter().take(4).fold(0, |digest, byte| (digest << 8) | u64::from(*byte))
}

/// Reports whether a record may be a premise.
pub fn is_premise(memory: &Memory, now: Timestamp) -> bool {
    let draft = &memory.draft;
    let plain = !draft.metadata.sensitive && !memory.withheld && draft.name.is_none();
    let told = draft.kind.layer() <= Layer::Knowledge && draft.tier == Tier::LongTerm;
    let holds = memory.state == MemoryState::Active && memory.belief.stale_since.is_none() && memory.holds_at(now);
    plain && told && holds
}

/// The knowledge that conclusions are drawn from.
pub struct Known<'k> {
    graph: &'k Graph,
    told: BTreeMap<MemoryId, &'k Memory>,
    mentions: BTreeMap<MemoryId, Vec<&'k Mention>>,
    from: BTreeMap<EntityId, Vec<&'k Edge>>,
}

impl<'k> Known<'k> {
    /// Combines entities and the records that may be premises.
    pub fn new(graph: &'k Graph, memories: &'k [Memory], now: Timestamp) -> Self {
        let told: BTreeMap<MemoryId, &Memory> =
            memories.iter().filter(|memory| is_premise(memory, now)).map(|memory| (memory.id, memory)).collect();
        let mut mentions: BTreeMap<MemoryId, Vec<&Mention>> = BTreeMap::new();
        for mention in graph.mentions.iter().filter(|mention| told.contains_key(&mention.memory)) {
            mentions.entry(mention.memory).or_default().push(mention);
        }
        let mut from: BTreeMap<EntityId, Vec<&Edge>> = BTreeMap::new();
        for edge in &graph.edges {
            from.entry(edge.from).or_default().push(edge);
            if edge.relation.is_mutual() {
                from.entry(edge.to).or_default().push(edge);
            }
        }
        Self { graph, told, mentions, from }
    }

    /// Returns the conclusions about an entity, the surest first.
    pub fn conclusions(&self, about: &Entity) -> Vec<Conclusion> {
        let mut all = self.found(about);
        weekday::once(&mut all);
        all.sort_by(|a, b| b.confidence.total_cmp(&a.confidence).then(a.rule.cmp(&b.rule)).then(a.text.cmp(&b.text)));
        let mut said = BTreeSet::new();
        all.retain(|one| said.insert(one.text.clone()));
        all
    }

    /// Draws again the conclusion about an entity whose text has this [`digest_of`], by one rule, if it rests on exactly
    /// the known records.
    /// Whether other records contradict it, or a better conclusion replaces it, was checked before.
    pub fn concluded(&self, about: &Entity, rule: Rule, digest: u64) -> Option<Conclusion> {
        let known: BTreeSet<MemoryId> = self.told.keys().copied().collect();
        let mut all = self.found(about).into_iter();
        all.find(|one| one.rule == rule && digest_of(&one.text) == digest && one.rests_on() == known)
    }

    fn found(&self, about: &Entity) -> Vec<Conclusion> {
        if about.kind.is_written() {
            return Vec::new();
        }
        let mut all = [chains::found(self, about), kin::found(self, about)].concat();
        let stated = self.stated(about);
        all.extend(together::found(self, about, &stated));
        all.extend(weekday::found(self, about, &stated));
        all.extend(preference::found(self, about, &stated));
        all
    }

    fn edges(&self, from: EntityId) -> impl Iterator<Item = &'k Edge> {
        self.from.get(&from).into_iter().flatten().copied()
    }

    fn entity(&self, id: EntityId) -> Option<&'k Entity> {
        self.graph.entity(id).ok()
    }

    /// The mentions in a record.
    fn mentions(&self, memory: MemoryId) -> &[&'k Mention] {
        self.mentions.get(&memory).map_or(&[], Vec::as_slice)
    }

    fn memory(&self, id: MemoryId) -> Option<&'k Memory> {
        self.told.get(&id).copied()
    }

    /// The best record for an edge, among those whose evidence satisfies `says`, which gets the matched words and the
    /// whole sentence: knowledge before other records, then the oldest.
    fn premise(&self, edge: &Edge, says: &dyn Fn(&str, &str) -> bool) -> Option<Premise> {
        let said = edge.evidence.iter().filter_map(|evidence| {
            let memory = self.memory(evidence.memory)?;
            let content = &memory.draft.content;
            let (start, end) = (evidence.span.start as usize, evidence.span.end as usize);
            let within = plain::sentence(content, start)?;
            let fits = says(content.get(start..end)?, content.get(within.clone())?);
            fits.then(|| (memory.draft.kind.layer() != Layer::Knowledge, premise(memory.id, &within)))
        });
        said.filter_map(|(later, premise)| premise.map(|premise| (later, premise)))
            .min_by_key(|(later, premise)| (*later, premise.memory))
            .map(|(_, premise)| premise)
    }

    /// Builds a conclusion about the first of some entities, with a text made from their names. Requires premises of
    /// the same namespace and consent that hold at a common time.
    fn conclude<const N: usize>(
        &self,
        rule: Rule,
        entities: [&Entity; N],
        mut premises: Vec<Premise>,
        says: impl FnOnce([String; N]) -> String,
    ) -> Option<Conclusion> {
        premises.sort_by_key(|premise| (premise.memory, premise.span.start));
        premises.dedup_by_key(|premise| premise.memory);
        // Keep the newest premises.
        premises.drain(..premises.len().saturating_sub(PREMISES));
        let memories: Vec<&Memory> = premises.iter().filter_map(|premise| self.memory(premise.memory)).collect();
        let first = memories.first()?;
        let of = |memory: &Memory| (memory.draft.namespace.clone(), memory.draft.consent_id, memory.draft.consent);
        if memories.len() != premises.len() || memories.iter().any(|memory| of(memory) != of(first)) {
            return None;
        }
        let valid_from = memories.iter().filter_map(|memory| memory.draft.valid_from).max();
        let valid_to = memories.iter().filter_map(|memory| memory.draft.valid_to).min();
        let ever = valid_from.zip(valid_to).is_none_or(|(from, to)| from < to);
        let confidence = rule.confidence(premises.len());
        let about = entities.first()?;
        let names: Option<Vec<String>> = entities.iter().map(|entity| self.named(entity, &premises)).collect();
        let (names, about) = (names?, about.id);
        let subject = names.first()?.clone();
        let called: Vec<String> = names.iter().map(|name| called(name)).collect();
        let text = begun(says(<[String; N]>::try_from(called).ok()?));
        ever.then_some(Conclusion { rule, about, subject, text, confidence, premises, valid_from, valid_to })
    }

    /// The name of an entity in these premises: its main name if used there, else the most frequent one, of equals the
    /// shortest.
    fn named(&self, entity: &Entity, premises: &[Premise]) -> Option<String> {
        let mentions = premises.iter().flat_map(|premise| self.mentions(premise.memory));
        let mut surfaces: BTreeMap<&str, usize> = BTreeMap::new();
        for mention in mentions.filter(|mention| entity.has(mention.name)) {
            *surfaces.entry(&mention.surface).or_default() += 1;
        }
        let rank = |surface: &str, count: usize| (surface == entity.name, count, Reverse(surface.len()));
        let best = surfaces.into_iter().max_by(|a, b| rank(a.0, a.1).cmp(&rank(b.0, b.1)).then(b.0.cmp(a.0)));
        best.map(|(surface, _)| surface.to_owned())
    }

    /// The sentences in which an entity is or does something, or speaks about itself, in the order of records.
    fn stated(&self, about: &Entity) -> Vec<Stated<'k>> {
        let mut of: BTreeMap<MemoryId, Vec<&Mention>> = BTreeMap::new();
        for mention in self.graph.mentions_of(about) {
            of.entry(mention.memory).or_default().push(mention);
        }
        let mut all = Vec::new();
        for (id, mentions) in of {
            let Some(memory) = self.memory(id) else { continue };
            let content = memory.draft.content.as_str();
            for range in plain::sentences_of(content) {
                let Some(text) = content.get(range.clone()) else { continue };
                let starts = mentions.iter().filter_map(|mention| Some(mention.position.span()?.start as usize));
                let named: Vec<usize> = starts.filter(|start| range.contains(start)).collect();
                let said_by = mentions.iter().any(|mention| mention.position == MentionPosition::Speaker);
                let speaks = said_by && plain::has_one(text, FIRST_PERSON);
                let is_subject = mentions.iter().any(|mention| mention.position == MentionPosition::Subject);
                let acts = speaks || is_subject || named.contains(&range.start);
                if (acts || !named.is_empty()) && plain::is_told(text) {
                    all.push(Stated { memory, range, text, speaks, acts });
                }
            }
        }
        all
    }
}

fn premise(memory: MemoryId, range: &Range<usize>) -> Option<Premise> {
    let span = u32::try_from(range.start).ok()?..u32::try_from(range.end).ok()?;
    Some(Premise { memory, span })
}

/// Premise and word for each day.
type Days = BTreeMap<i64, (Premise, String)>;

/// The newest premises and the first one's word, so that the premises alone lead to the same text.
fn newest(days: Days) -> Option<(String, Vec<Premise>)> {
    let mut all: Vec<(Premise, String)> = days.into_values().collect();
    all.sort_by_key(|(premise, _)| (premise.memory, premise.span.start));
    all.drain(..all.len().saturating_sub(PREMISES));
    let word = all.first()?.1.clone();
    Some((word, all.into_iter().map(|(premise, _)| premise).collect()))
}

/// How a sentence refers to an entity with this name.
fn called(name: &str) -> String {
    if name.eq_ignore_ascii_case(USER) { OWNER.to_owned() } else { name.to_owned() }
}

/// Capitalizes a sentence that begins with the vault's owner.
fn begun(sentence: String) -> String {
    match sentence.strip_prefix(OWNER) {
        Some(rest) => format!("The user{rest}"),
        None => sentence,
    }
}

/// The relations that rules follow.
pub const FOLLOWED: &[EntityRelation] = &[
    EntityRelation::LocatedIn,
    EntityRelation::PartOf,
    EntityRelation::WorksAt,
    EntityRelation::LivesIn,
    EntityRelation::Precedes,
    EntityRelation::Follows,
    EntityRelation::Family,
];
