//! Deductions about family: inverse relations, and relations through a third person.

use std::collections::BTreeMap;

use super::{Conclusion, Known, Premise, Rule, plain};
use crate::entities::{Edge, Entity, EntityRelation, Mention, MentionPosition};
use crate::ids::EntityId;

/// The role of one person for another, regardless of their sex.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Role {
    Parent,
    Child,
    Sibling,
    Spouse,
    Partner,
    Cousin,
    Grandparent,
    Grandchild,
    ParentsSibling,
    SiblingsChild,
}

/// The words for each role.
const WORDS: &[(Role, &str, &[&str])] = &[
    (Role::Parent, "parent", &["mother", "mom", "mum", "father", "dad", "parent"]),
    (Role::Child, "child", &["son", "daughter", "kid", "child"]),
    (Role::Sibling, "sibling", &["brother", "sister", "sibling", "twin"]),
    (Role::Spouse, "spouse", &["wife", "husband", "spouse"]),
    (Role::Partner, "partner", &["girlfriend", "boyfriend", "fiance", "fiancee"]),
    (Role::Cousin, "cousin", &["cousin"]),
    (Role::Grandparent, "grandparent", &["grandmother", "grandma", "grandfather", "grandpa"]),
    (Role::Grandchild, "grandchild", &["grandson", "granddaughter", "grandchild"]),
    (Role::ParentsSibling, "aunt or uncle", &["aunt", "uncle"]),
    (Role::SiblingsChild, "niece or nephew", &["niece", "nephew"]),
];

/// Words that turn it into another relation.
const NOT_BY_BLOOD: &[&str] = &["law", "step", "half", "foster", "ex", "god", "former"];

impl Role {
    fn of(word: &str) -> Option<Self> {
        WORDS.iter().find(|(_, _, words)| words.contains(&word)).map(|(role, ..)| *role)
    }

    fn word(self) -> &'static str {
        WORDS.iter().find(|(role, ..)| *role == self).map_or("", |(_, word, _)| word)
    }

    /// The role of the other person for the first.
    const fn inverse(self) -> Self {
        match self {
            Self::Parent => Self::Child,
            Self::Child => Self::Parent,
            Self::Grandparent => Self::Grandchild,
            Self::Grandchild => Self::Grandparent,
            Self::ParentsSibling => Self::SiblingsChild,
            Self::SiblingsChild => Self::ParentsSibling,
            same => same,
        }
    }

    /// The role of a relative's relative, if it can be deduced.
    const fn of_a(self, then: Self) -> Option<Self> {
        match (self, then) {
            (Self::Parent, Self::Parent) | (Self::Sibling, Self::Grandparent) => Some(Self::Grandparent),
            (Self::Child, Self::Child) => Some(Self::Grandchild),
            (Self::Parent, Self::Sibling) => Some(Self::ParentsSibling),
            (Self::Sibling, Self::Child) => Some(Self::SiblingsChild),
            _ => None,
        }
    }
}

/// One person's role for another.
#[derive(Clone, Debug)]
struct Kin {
    of: EntityId,
    role: Role,
    who: EntityId,
    premise: Premise,
}

/// Returns the conclusions about an entity.
pub(super) fn found(known: &Known<'_>, about: &Entity) -> Vec<Conclusion> {
    let own = told_of(known, about.id);
    let mut all = Vec::new();
    for (kin, is_told) in &own {
        if !is_told && !own.iter().any(|(other, told)| *told && other.who == kin.who) {
            all.extend(conclude(known, Rule::Inverse, (about, kin.role, kin.who), vec![kin.premise.clone()]));
        }
        for (further, _) in told_of(known, kin.who).iter().filter(|(further, _)| further.who != about.id) {
            let told = own.iter().any(|(other, _)| other.who == further.who);
            if let Some(role) = kin.role.of_a(further.role).filter(|_| !told) {
                let premises = vec![kin.premise.clone(), further.premise.clone()];
                all.extend(conclude(known, Rule::Kin, (about, role, further.who), premises));
            }
        }
    }
    all
}

fn conclude(
    known: &Known<'_>,
    rule: Rule,
    (about, relation, other): (&Entity, Role, EntityId),
    premises: Vec<Premise>,
) -> Option<Conclusion> {
    let says = |[about, other]: [String; 2]| format!("{about}'s {} is {other}.", relation.word());
    known.conclude(rule, [about, known.entity(other)?], premises, says)
}

/// The relatives of an entity that records state from its side: the word for the role, the person, and the premise.
pub(super) fn of(known: &Known<'_>, id: EntityId) -> Vec<(&'static str, EntityId, Premise)> {
    let told = told_of(known, id).into_iter().filter(|(_, is_told)| *is_told);
    told.map(|(kin, _)| (kin.role.word(), kin.who, kin.premise)).collect()
}

/// The relatives of an entity, each with whether a record states the role from its side.
fn told_of(known: &Known<'_>, id: EntityId) -> Vec<(Kin, bool)> {
    let mut all: BTreeMap<(EntityId, Role), (Kin, bool)> = BTreeMap::new();
    for edge in known.edges(id).filter(|edge| edge.relation == EntityRelation::Family) {
        for kin in said(known, edge) {
            let (kin, is_told) = if kin.of == id {
                (kin, true)
            } else {
                (Kin { of: kin.who, role: kin.role.inverse(), who: kin.of, premise: kin.premise }, false)
            };
            let entry = all.entry((kin.who, kin.role)).or_insert_with(|| (kin.clone(), is_told));
            if is_told && !entry.1 {
                *entry = (kin, true);
            }
        }
    }
    all.into_values().collect()
}

/// The roles that records plainly state for the two entities of an edge.
fn said(known: &Known<'_>, edge: &Edge) -> Vec<Kin> {
    let mut all = Vec::new();
    for evidence in &edge.evidence {
        let Some(memory) = known.memory(evidence.memory) else { continue };
        let content = &memory.draft.content;
        let (start, end) = (evidence.span.start as usize, evidence.span.end as usize);
        let Some(range) = plain::sentence(content, start) else { continue };
        let Some((sentence, pattern)) = content.get(range.clone()).zip(content.get(start..end)) else { continue };
        if !plain::is_present(sentence, &[]) || plain::has_one(sentence, NOT_BY_BLOOD) {
            continue;
        }
        let Some((at, role)) = the_role(pattern) else { continue };
        let own = owner(known, edge, (memory.id, start + at), pattern.get(..at).unwrap_or_default());
        let Some(of) = own else { continue };
        let who = if of == edge.from { edge.to } else { edge.from };
        all.extend(super::premise(memory.id, &range).map(|premise| Kin { of, role, who, premise }));
    }
    all
}

/// The only role word in a text and its offset; `None` if there are several.
fn the_role(text: &str) -> Option<(usize, Role)> {
    let mut found = None;
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        if let Some(role) = Role::of(&crate::text::words::fold(word)) {
            if found.is_some() {
                return None;
            }
            found = Some((word.as_ptr().addr() - text.as_ptr().addr(), role));
        }
    }
    found
}

/// The person whose relative is named: the speaker for "my sister", Ana for "Ana's sister".
fn owner(
    known: &Known<'_>,
    edge: &Edge,
    (memory, role_at): (crate::ids::MemoryId, usize),
    before: &str,
) -> Option<EntityId> {
    let id = |mention: &Mention| known.graph.of_name(mention.name).map(|entity| entity.id);
    let speaks = plain::tokens(before).last().is_some_and(|word| word == "my") || before_is_my(before);
    let mut genitive = None;
    let mut speaker = None;
    for mention in known.mentions(memory) {
        match &mention.position {
            MentionPosition::Speaker => speaker = id(mention),
            MentionPosition::Content(span) if (span.end as usize) < role_at => {
                let behind = known.memory(memory)?.draft.content.get(span.end as usize..role_at).unwrap_or_default();
                if ["'s ", "’s ", "' ", "’ "].iter().any(|sign| behind.starts_with(sign)) {
                    genitive = id(mention);
                }
            }
            MentionPosition::Content(_) | MentionPosition::Subject => {}
        }
    }
    let of = if speaks { speaker } else { genitive }?;
    [edge.from, edge.to].contains(&of).then_some(of)
}

/// Reports whether "my" is among the last three words, as in "my older".
fn before_is_my(before: &str) -> bool {
    let words = plain::tokens(before);
    words.iter().rev().take(3).any(|word| word == "my")
}
