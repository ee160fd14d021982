//! An induction: who is with somebody on three days or more is so often.

use std::collections::{BTreeMap, BTreeSet};

use super::rule::FEWEST;
use super::{Conclusion, Known, Premise, Rule, Stated, plain};
use crate::entities::{Entity, EntityType};
use crate::ids::EntityId;

/// Sentences that name more are lists.
const CROWD: usize = 4;
/// What says that two do something together.
const WITH: &[&str] = &["with", "together", "joined", "met"];

/// Of two people the one by whom both are told of first.
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
        // From one side alone.
        let first = (about.salience, other.id) >= (other.salience, about.id);
        // The same from either side, so that it is said once, also when the other side comes first later.
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

/// The other people whom a sentence names.
fn others<'k>(known: &Known<'k>, about: &Entity, sentence: &Stated<'_>) -> Vec<&'k Entity> {
    let mut seen = BTreeSet::new();
    let named = known.mentions(sentence.memory.id).iter();
    let within = named
        .filter(|mention| mention.place.span().is_some_and(|span| sentence.range.contains(&(span.start as usize))));
    let entities = within.filter_map(|mention| known.graph.of_name(mention.name));
    entities.filter(|other| other.kind == EntityType::Person && other.id != about.id && seen.insert(other.id)).collect()
}

/// Whether somebody is joined to another by "and".
fn paired(sentence: &str, other: &Entity) -> bool {
    let called = [&other.name].into_iter().chain(&other.aliases);
    called.into_iter().any(|name| {
        ["and I", "and me"].iter().any(|we| sentence.contains(&format!("{name} {we}")))
            || sentence.contains(&format!("and {name} "))
    })
}
