//! Induction: two people who are together on three or more days are often together.

use std::collections::{BTreeMap, BTreeSet};

use super::rule::FEWEST;
use super::{Conclusion, Known, Premise, Rule, Stated, plain};
use crate::entities::{Entity, EntityType};
use crate::ids::EntityId;

/// Sentences that name this many other people are lists.
const CROWD: usize = 4;
/// Words for doing something together.
const WITH: &[&str] = &["with", "together", "joined", "met"];

/// Returns the conclusions about an entity. Of each pair, only the more salient person yields one.
pub(super) fn found(known: &Known<'_>, about: &Entity, stated: &[Stated<'_>]) -> Vec<Conclusion> {
    if about.kind != EntityType::Person {
        return Vec::new();
    }
    let mut days: BTreeMap<EntityId, BTreeMap<i64, Premise>> = BTreeMap::new();
    for sentence in stated {
        let others = others(known, about, sentence);
        let paired = others.iter().any(|other| paired(sentence.text, other));
        if others.len() >= CROWD || !(plain::has_one(sentence.text, WITH) || paired) {
            continue;
        }
        for other in others {
            if let Some(premise) = sentence.premise() {
                days.entry(other.id).or_default().entry(sentence.day()).or_insert(premise);
            }
        }
    }
    let often = days.into_iter().filter(|(_, days)| days.len() >= FEWEST);
    let conclude = |(other, days): (EntityId, BTreeMap<i64, Premise>)| {
        let other = known.entity(other)?;
        // Only from one side.
        let first = (about.salience, other.id) >= (other.salience, about.id);
        // Name both in the same order from either side, so that the text stays the same if the sides swap later.
        let says = |[mut one, mut two]: [String; 2]| {
            if other.id < about.id {
                std::mem::swap(&mut one, &mut two);
            }
            format!("{one} and {two} are often together.")
        };
        first.then(|| known.conclude(Rule::Together, [about, other], days.into_values().collect(), says))?
    };
    often.filter_map(conclude).filter(|one| one.premises.len() >= FEWEST).collect()
}

/// The other people named in a sentence.
fn others<'k>(known: &Known<'k>, about: &Entity, sentence: &Stated<'_>) -> Vec<&'k Entity> {
    let mut seen = BTreeSet::new();
    let named = known.mentions(sentence.memory.id).iter();
    let within = named
        .filter(|mention| mention.position.span().is_some_and(|span| sentence.range.contains(&(span.start as usize))));
    let entities = within.filter_map(|mention| known.graph.of_name(mention.name));
    entities.filter(|other| other.kind == EntityType::Person && other.id != about.id && seen.insert(other.id)).collect()
}

/// Reports whether a person is joined to another person by "and".
fn paired(sentence: &str, other: &Entity) -> bool {
    let called = [&other.name].into_iter().chain(&other.aliases);
    called.into_iter().any(|name| {
        ["and I", "and me"].iter().any(|we| sentence.contains(&format!("{name} {we}")))
            || sentence.contains(&format!("and {name} "))
    })
}
