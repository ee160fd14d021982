//! What follows from what is known (Y-7): deductions from what entities are to each other, and inductions from events that are alike.
//!
//! Pure. A premise is a record that states something plainly and holds now; nothing is concluded from what is sensitive, edited in
//! place, or concluded itself, so that a conclusion is never more than two steps from what was told. All premises of one are alike in
//! namespace, tier and consent, which it inherits: who may see it may see them. It calls nobody what no premise calls them, so that it
//! holds no word that is not theirs. What the rules do not understand they leave.

mod chains;
mod kin;
mod narrative;
mod plain;
mod preference;
mod rule;
#[cfg(test)]
mod tests;
mod together;
mod weekday;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use sha2::{Digest as _, Sha256};

use crate::entities::{Edge, Entity, EntityRelation, Graph, Mention, Place};
use crate::ids::{EntityId, MemoryId};
use crate::memory::{Layer, Memory, MemoryState, Tier};
use crate::time::Timestamp;

pub use narrative::{Narrative, PROFILES};
pub use rule::Rule;

/// Most conclusions about an entity that hold at a time.
pub const MOST: usize = 5;
/// Most premises of one.
const PREMISES: usize = 8;
/// By these a sentence tells of who speaks.
const FIRST_PERSON: &[&str] = &["i", "i'm", "i've", "we", "we've", "my", "me", "our", "us"];
/// What is called so is who owns the vault.
const USER: &str = "user";
const OWNER: &str = "the user";

/// What a conclusion rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Premise {
    /// The record.
    pub memory: MemoryId,
    /// The bytes of its content that say it.
    pub span: Range<u32>,
}

/// What follows.
#[derive(Clone, Debug, PartialEq)]
pub struct Conclusion {
    /// By which rule.
    pub rule: Rule,
    /// Whom or what it is about.
    pub about: EntityId,
    /// What that is called.
    pub subject: String,
    /// What it says, in the words of its premises.
    pub text: String,
    /// How far it is to be believed.
    pub confidence: f64,
    /// What it rests on, in the order of ids.
    pub premises: Vec<Premise>,
    /// Since when all of that holds,
    pub valid_from: Option<Timestamp>,
    /// and until when.
    pub valid_to: Option<Timestamp>,
}

impl Conclusion {
    /// What it rests on.
    pub fn rests_on(&self) -> BTreeSet<MemoryId> {
        self.premises.iter().map(|premise| premise.memory).collect()
    }
}

/// A number by which a change, which holds no text, tells one text from others.
pub fn mark(text: &str) -> u64 {
    Sha256::digest(text).iter().take(4).fold(0, |mark, byte| (mark << 8) | u64::from(*byte))
}

/// Whether something may be concluded from a record.
pub fn is_premise(memory: &Memory, now: Timestamp) -> bool {
    let draft = &memory.draft;
    let plain = !draft.metadata.sensitive && !memory.withheld && draft.name.is_none();
    let told = draft.kind.layer() <= Layer::Knowledge && draft.tier == Tier::LongTerm;
    let holds = memory.state == MemoryState::Active && memory.belief.stale_since.is_none() && memory.holds_at(now);
    plain && told && holds
}

/// What conclusions are drawn from.
pub struct Known<'k> {
    graph: &'k Graph,
    told: BTreeMap<MemoryId, &'k Memory>,
    mentions: BTreeMap<MemoryId, Vec<&'k Mention>>,
    from: BTreeMap<EntityId, Vec<&'k Edge>>,
}

impl<'k> Known<'k> {
    /// Entities, and the records that may be premises.
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

    /// What follows about an entity, the surest first.
    pub fn conclusions(&self, about: &Entity) -> Vec<Conclusion> {
        let mut all = self.found(about);
        weekday::once(&mut all);
        all.sort_by(|a, b| b.confidence.total_cmp(&a.confidence).then(a.rule.cmp(&b.rule)).then(a.text.cmp(&b.text)));
        let mut said = BTreeSet::new();
        all.retain(|one| said.insert(one.text.clone()));
        all
    }

    /// What was concluded about an entity by a rule, and has a [mark], where nothing is known but what it rests on: that something
    /// else speaks against, or that another says it better, was looked at before.
    pub fn concluded(&self, about: &Entity, rule: Rule, mark: u64) -> Option<Conclusion> {
        let known: BTreeSet<MemoryId> = self.told.keys().copied().collect();
        let mut all = self.found(about).into_iter();
        all.find(|one| one.rule == rule && self::mark(&one.text) == mark && one.rests_on() == known)
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

    /// What a record names.
    fn mentions(&self, memory: MemoryId) -> &[&'k Mention] {
        self.mentions.get(&memory).map_or(&[], Vec::as_slice)
    }

    fn memory(&self, id: MemoryId) -> Option<&'k Memory> {
        self.told.get(&id).copied()
    }

    /// The record that says best what an edge says, in a sentence for which `says` holds, which is given the words of the pattern
    /// and the whole sentence: what is known before what was only said, then the oldest.
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

    /// A conclusion about the first of some entities, of which it says something by their names, from premises that are alike and
    /// hold at one time.
    fn conclude<const N: usize>(
        &self,
        rule: Rule,
        entities: [&Entity; N],
        mut premises: Vec<Premise>,
        says: impl FnOnce([String; N]) -> String,
    ) -> Option<Conclusion> {
        premises.sort_by_key(|premise| (premise.memory, premise.span.start));
        premises.dedup_by_key(|premise| premise.memory);
        // The newest.
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

    /// What an entity is called by one of these premises: as it is most often, or else as it is by most of them, of equals the
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

    /// The sentences in which an entity does or is something, or speaks of itself, in the order of records.
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
                let starts = mentions.iter().filter_map(|mention| Some(mention.place.span()?.start as usize));
                let named: Vec<usize> = starts.filter(|start| range.contains(start)).collect();
                let said_by = mentions.iter().any(|mention| mention.place == Place::Speaker);
                let speaks = said_by && plain::has_one(text, FIRST_PERSON);
                let is_subject = mentions.iter().any(|mention| mention.place == Place::Subject);
                let acts = speaks || is_subject || named.contains(&range.start);
                if (acts || !named.is_empty()) && plain::is_told(text) {
                    all.push(Stated { memory, range, text, speaks, acts });
                }
            }
        }
        all
    }
}

/// A sentence of a record about an entity.
#[derive(Clone, Debug)]
struct Stated<'m> {
    memory: &'m Memory,
    range: Range<usize>,
    text: &'m str,
    /// Whether the entity says so of itself,
    speaks: bool,
    /// or the sentence is about what it does.
    acts: bool,
}

impl Stated<'_> {
    fn premise(&self) -> Option<Premise> {
        premise(self.memory.id, &self.range)
    }

    /// The day on which it happened.
    fn day(&self) -> i64 {
        self.memory.occurred_at().day()
    }
}

fn premise(memory: MemoryId, range: &Range<usize>) -> Option<Premise> {
    let span = u32::try_from(range.start).ok()?..u32::try_from(range.end).ok()?;
    Some(Premise { memory, span })
}

/// What is known about a word, by the day.
type Days = BTreeMap<i64, (Premise, String)>;

/// The newest premises, and the word as the first of these has it, so that they say the same by themselves.
fn newest(days: Days) -> Option<(String, Vec<Premise>)> {
    let mut all: Vec<(Premise, String)> = days.into_values().collect();
    all.sort_by_key(|(premise, _)| (premise.memory, premise.span.start));
    all.drain(..all.len().saturating_sub(PREMISES));
    let word = all.first()?.1.clone();
    Some((word, all.into_iter().map(|(premise, _)| premise).collect()))
}

/// What an entity of this name is called within a sentence.
fn called(name: &str) -> String {
    if name.eq_ignore_ascii_case(USER) { OWNER.to_owned() } else { name.to_owned() }
}

/// A sentence, whose first letter is a capital one if it begins with the owner of the vault.
fn begun(sentence: String) -> String {
    match sentence.strip_prefix(OWNER) {
        Some(rest) => format!("The user{rest}"),
        None => sentence,
    }
}

/// The relations that conclusions follow.
pub const FOLLOWED: &[EntityRelation] = &[
    EntityRelation::LocatedIn,
    EntityRelation::PartOf,
    EntityRelation::WorksAt,
    EntityRelation::LivesIn,
    EntityRelation::Precedes,
    EntityRelation::Follows,
    EntityRelation::Family,
];
