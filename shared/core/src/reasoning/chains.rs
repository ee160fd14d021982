//! Deductions by transitive relations: lying in a place, being a part, working or living there, or coming before something.

use super::{Conclusion, Known, Premise, Rule, plain};
use crate::entities::{Edge, Entity, EntityRelation, EntityType};
use crate::ids::EntityId;

/// Most edges that a conclusion follows: two steps of inference.
const LONGEST: usize = 3;

/// A rule that follows one relation, and then another any number of times.
struct Chain {
    rule: Rule,
    first: EntityRelation,
    then: EntityRelation,
    says: &'static str,
}

const fn chain(rule: Rule, first: EntityRelation, then: EntityRelation, says: &'static str) -> Chain {
    Chain { rule, first, then, says }
}

const CHAINS: [Chain; 6] = [
    chain(Rule::LiesIn, EntityRelation::LocatedIn, EntityRelation::LocatedIn, "is in"),
    chain(Rule::PartOf, EntityRelation::PartOf, EntityRelation::PartOf, "is part of"),
    chain(Rule::WorksIn, EntityRelation::WorksAt, EntityRelation::LocatedIn, "works in"),
    chain(Rule::WorksFor, EntityRelation::WorksAt, EntityRelation::PartOf, "works for"),
    chain(Rule::LivesIn, EntityRelation::LivesIn, EntityRelation::LocatedIn, "lives in"),
    chain(Rule::Before, EntityRelation::Precedes, EntityRelation::Precedes, "comes before"),
];

/// Returns the conclusions about an entity.
pub(super) fn found(known: &Known<'_>, about: &Entity) -> Vec<Conclusion> {
    let mut all = Vec::new();
    for chain in &CHAINS {
        let mut path = vec![about.id];
        follow(known, (chain, about), &mut path, &[], &mut all);
    }
    all
}

fn follow(
    known: &Known<'_>,
    (chain, about): (&Chain, &Entity),
    path: &mut Vec<EntityId>,
    premises: &[Premise],
    all: &mut Vec<Conclusion>,
) {
    let Some(from) = path.last().copied().filter(|_| path.len() <= LONGEST) else { return };
    let relation = if path.len() == 1 { chain.first } else { chain.then };
    for (to, premise) in next(known, from, relation) {
        if path.contains(&to) {
            continue;
        }
        let premises = [premises, &[premise]].concat();
        path.push(to);
        if path.len() > 2
            && !is_known(known, (about.id, chain.first, to))
            && let Some(end) = known.entity(to)
        {
            let says = |[about, end]: [String; 2]| format!("{about} {} {end}.", chain.says);
            all.extend(known.conclude(chain.rule, [about, end], premises.clone(), says));
        }
        follow(known, (chain, about), path, &premises, all);
        path.pop();
    }
}

/// Reports whether the graph already contains this edge.
fn is_known(known: &Known<'_>, (from, relation, to): (EntityId, EntityRelation, EntityId)) -> bool {
    known.edges(from).any(|edge| edge.relation == relation && edge.to == to)
}

/// The entities that a relation leads to from an entity, with the premise for each. A relation that allows one place
/// yields the innermost of several nested places, and nothing if the places are not nested.
fn next(known: &Known<'_>, from: EntityId, relation: EntityRelation) -> Vec<(EntityId, Premise)> {
    let mut found: Vec<(EntityId, Premise)> = Vec::new();
    for edge in known.edges(from).filter(|edge| edge.relation == relation && edge.from == from) {
        found.extend(said(known, edge).map(|premise| (edge.to, premise)));
    }
    if relation == EntityRelation::Precedes {
        let later = known.graph.edges.iter().filter(|edge| edge.relation == EntityRelation::Follows && edge.to == from);
        let later: Vec<_> = later.filter_map(|edge| Some((edge.from, said(known, edge)?))).collect();
        for (to, premise) in later {
            if found.iter().all(|(known, _)| *known != to) {
                found.push((to, premise));
            }
        }
    }
    let is_one = matches!(relation, EntityRelation::LocatedIn | EntityRelation::LivesIn | EntityRelation::WorksAt);
    if is_one && found.len() > 1 {
        let within =
            |one: EntityId, other: EntityId| one == other || is_known(known, (one, EntityRelation::LocatedIn, other));
        let all: Vec<EntityId> = found.iter().map(|(to, _)| *to).collect();
        found.retain(|(to, _)| all.iter().all(|other| within(*to, *other)));
        if found.len() > 1 {
            found.clear();
        }
    }
    found
}

/// The record that states an edge plainly.
pub(super) fn said(known: &Known<'_>, edge: &Edge) -> Option<Premise> {
    let place = known.entity(edge.from).is_some_and(|from| from.kind == EntityType::Place);
    let says = |pattern: &str, sentence: &str| match edge.relation {
        EntityRelation::LocatedIn if place => {
            plain::has_one(pattern, &["in", "near", "located"]) && plain::is_present(sentence, &[])
        }
        EntityRelation::LocatedIn => {
            let verbs = ["is", "are", "located", "based", "headquarters", "office", "takes", "held"];
            plain::has_one(pattern, &verbs) && plain::is_present(sentence, &[])
        }
        EntityRelation::WorksAt => {
            let verbs = ["work", "works", "working", "job", "position", "role", "runs", "leads", "manages", "employs"];
            plain::has_one(pattern, &verbs) && plain::is_present(sentence, &[])
        }
        EntityRelation::LivesIn => {
            let verbs = ["live", "lives", "living", "based", "home", "house", "apartment", "flat", "moved", "settled"];
            plain::has_one(pattern, &verbs)
                && plain::is_present(sentence, &["moved"])
                && !plain::has_one(pattern, &["near", "around"])
        }
        EntityRelation::Precedes | EntityRelation::Follows => {
            let verbs = ["is", "comes", "precedes", "follows"];
            plain::has_one(pattern, &verbs) && plain::is_present(sentence, &["comes", "before", "from"])
        }
        EntityRelation::PartOf | EntityRelation::Owns => plain::is_present(sentence, &[]),
        EntityRelation::WorksWith => {
            plain::has_one(pattern, &["work", "works", "working", "colleague", "colleagues", "coworkers"])
                && plain::is_present(sentence, &[])
        }
        _ => false,
    };
    known.premise(edge, &says)
}
