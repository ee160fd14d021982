//! Describes an entity by templates from plainly stated facts: every sentence is based on records.

use std::collections::{BTreeMap, BTreeSet};

use super::{Known, Premise, Stated, begun, called, chains, kin, plain, preference};
use crate::entities::{Entity, EntityRelation};
use crate::ids::{ConsentId, EntityId, MemoryId};
use crate::memory::Layer;

/// Fewest facts for a description.
const FEWEST: usize = 5;
/// Most facts in a description.
const MOST: usize = 12;
/// Longest statement included verbatim, in bytes.
const LONGEST: usize = 200;

/// Prefix of the names of descriptions.
pub const PROFILES: &str = "profiles/";

/// A description of an entity.
#[derive(Clone, Debug, PartialEq)]
pub struct Narrative {
    /// The entity described.
    pub about: EntityId,
    /// Its name in the premises.
    pub subject: String,
    /// All names of the entity, for comparison only; not stored in any record.
    pub called: BTreeSet<String>,
    /// The text of the description.
    pub text: String,
    /// The premises, each record once, ordered by id.
    pub premises: Vec<Premise>,
}

impl Narrative {
    /// The records it depends on.
    pub fn rests_on(&self) -> BTreeSet<MemoryId> {
        self.premises.iter().map(|premise| premise.memory).collect()
    }

    /// Returns the record name for an entity's description.
    pub fn record_of(subject: &str) -> String {
        format!("{PROFILES}{}", subject.replace('/', " "))
    }
}

/// A fact about the entity from one record.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Fact {
    part: Part,
    premise: (MemoryId, u32, u32),
    says: String,
}

impl Fact {
    fn premise(&self) -> Premise {
        let (memory, start, end) = self.premise;
        Premise { memory, span: start..end }
    }
}

/// The part of the description that a fact belongs to: the first sentence, or one of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Does(EntityRelation),
    Likes,
    Family,
    Stated,
}

impl Known<'_> {
    /// Describes an entity if enough facts are known.
    pub fn narrative(&self, about: &Entity) -> Option<Narrative> {
        if about.kind.is_written() {
            return None;
        }
        let mut facts = [self.relations(about), self.family(about), self.statements(about)].concat();
        facts.sort();
        let mut said = BTreeSet::new();
        facts.retain(|fact| said.insert(fact.says.clone()));
        let mut facts = self.alike(facts);
        facts.truncate(MOST);
        if facts.len() < FEWEST {
            return None;
        }
        let mut premises: Vec<Premise> = facts.iter().map(Fact::premise).collect();
        premises.sort_by_key(|premise| (premise.memory, premise.span.start));
        premises.dedup_by_key(|premise| premise.memory);
        let subject = self.named(about, &premises)?;
        let called = [&about.name].into_iter().chain(&about.aliases).cloned().collect();
        Some(Narrative { about: about.id, text: text(&subject, &facts), subject, called, premises })
    }

    /// Relations to other entities that records state plainly.
    fn relations(&self, about: &Entity) -> Vec<Fact> {
        let does = |edge: &crate::entities::Edge| {
            let verb = match edge.relation {
                EntityRelation::WorksAt => "works at",
                EntityRelation::WorksWith => "works with",
                EntityRelation::LivesIn => "lives in",
                EntityRelation::LocatedIn => "is in",
                EntityRelation::PartOf => "is part of",
                EntityRelation::Owns => "owns",
                _ => return None,
            };
            let other = if edge.from == about.id { edge.to } else { edge.from };
            let premise = chains::said(self, edge)?;
            let other = self.other(other, &premise)?;
            Some(fact(Part::Does(edge.relation), &premise, format!("{verb} {other}")))
        };
        self.edges(about.id).filter_map(does).collect()
    }

    fn family(&self, about: &Entity) -> Vec<Fact> {
        let told = kin::of(self, about.id).into_iter();
        let says = |(word, who, premise): (&str, EntityId, Premise)| {
            let who = self.other(who, &premise)?;
            Some(fact(Part::Family, &premise, format!("'s {word} is {who}.")))
        };
        told.filter_map(says).collect()
    }

    /// The name of another entity in a fact's record.
    fn other(&self, id: EntityId, premise: &Premise) -> Option<String> {
        self.named(self.entity(id)?, std::slice::from_ref(premise)).map(|name| called(&name))
    }

    /// Likes, and statements that begin with the entity's name.
    fn statements(&self, about: &Entity) -> Vec<Fact> {
        let says = |stated: &Stated<'_>| {
            let premise = stated.premise()?;
            if let Some((liked, what)) = preference::read(about, stated).filter(|_| plain::is_present(stated.text, &[]))
            {
                let verb = if liked { "likes" } else { "dislikes" };
                return Some(fact(Part::Likes, &premise, format!("{verb} {}", what.join(" "))));
            }
            let content = stated.memory.draft.content.trim();
            let begins =
                self.named(about, std::slice::from_ref(&premise)).is_some_and(|name| content.starts_with(&name));
            let whole = content == stated.text && content.len() <= LONGEST && begins;
            let known = stated.memory.draft.kind.layer() == Layer::Knowledge;
            let own =
                known && whole && stated.acts && plain::is_present(content, &[]) && !self.says_relation(about, stated);
            let end = if content.ends_with(['.', '!']) { "" } else { "." };
            own.then(|| fact(Part::Stated, &premise, format!("{content}{end}")))
        };
        self.stated(about).iter().filter_map(says).collect()
    }

    /// Reports whether the same record already states a relation.
    fn says_relation(&self, about: &Entity, stated: &Stated<'_>) -> bool {
        let by_it = |edge: &crate::entities::Edge| {
            edge.relation != EntityRelation::RelatedTo
                && edge.evidence.iter().any(|evidence| evidence.memory == stated.memory.id)
        };
        self.edges(about.id).any(by_it)
    }

    /// Keeps the facts of the largest group of records with the same consent.
    fn alike(&self, facts: Vec<Fact>) -> Vec<Fact> {
        let mut groups: BTreeMap<(Option<ConsentId>, bool), Vec<Fact>> = BTreeMap::new();
        for fact in facts {
            let Some(memory) = self.memory(fact.premise.0) else { continue };
            groups.entry((memory.draft.consent_id, memory.draft.consent)).or_default().push(fact);
        }
        groups.into_values().rev().max_by_key(Vec::len).unwrap_or_default()
    }
}

fn fact(part: Part, premise: &Premise, says: String) -> Fact {
    Fact { part, premise: (premise.memory, premise.span.start, premise.span.end), says }
}

/// Composes the description.
fn text(subject: &str, facts: &[Fact]) -> String {
    let (first, rest): (Vec<&Fact>, Vec<&Fact>) =
        facts.iter().partition(|fact| matches!(fact.part, Part::Does(_) | Part::Likes));
    let predicates: Vec<&str> = first.iter().map(|fact| fact.says.as_str()).collect();
    let opening = predicates.split_last().map(|(last, others)| {
        let joined = if others.is_empty() { (*last).to_owned() } else { format!("{} and {last}", others.join(", ")) };
        begun(format!("{} {joined}.", called(subject)))
    });
    let further = |fact: &Fact| match fact.part {
        Part::Family => begun(format!("{}{}", called(subject), fact.says)),
        _ => fact.says.clone(),
    };
    let text: Vec<String> = opening.into_iter().chain(rest.into_iter().map(further)).collect();
    text.join(" ")
}
