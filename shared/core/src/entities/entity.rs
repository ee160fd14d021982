//! Entities as returned to callers.

use super::names::{Name, most};
use super::ruling::{Ruled, Ruling};
use super::{EntityType, NameId};
use crate::ids::EntityId;
use crate::time::{Span, Timestamp};

/// Least strength of a name that makes an entity.
const SHOWN: f64 = 0.5;
/// Half-life of the recency of a mention, in days.
const HALF_LIFE_DAYS: f64 = 90.0;
/// Sum of mentions' weights at which an entity's salience is 0.5.
const HALF_SALIENT: f64 = 4.0;

/// A person, place or thing that memories are about.
#[derive(Clone, Debug, PartialEq)]
pub struct Entity {
    /// The id of its earliest name; the id of any of its names finds it.
    pub id: EntityId,
    /// Its most frequent name, or the one a person chose.
    pub name: String,
    /// The entity's type.
    pub kind: EntityType,
    /// Its other names, the most frequent first.
    pub aliases: Vec<String>,
    /// Current prominence, 0 to 1.
    pub salience: f64,
    /// Number of mentions.
    pub mentions: u64,
    /// Number of records that mention it.
    pub memories: u64,
    /// Time of the first mention.
    pub first: Timestamp,
    /// Time of the last mention.
    pub last: Timestamp,
    /// Ids of its names.
    pub names: Vec<NameId>,
}

impl Entity {
    /// Builds the entity of a group of names; `None` if they are too weak or a person dismissed one of them.
    pub(super) fn of(names: &[&Name], rulings: &[Ruling], now: Timestamp) -> Option<Self> {
        let earliest = names.iter().min_by_key(|name| (name.first, name.id))?;
        let strength = names.iter().map(|name| name.strength()).fold(0.0, f64::max);
        let about = |ruling: &&Ruling| names.iter().any(|name| name.id == ruling.name);
        let ours = || rulings.iter().filter(about);
        if strength < SHOWN || ours().any(|ruling| ruling.ruled == Ruled::Dismissed) {
            return None;
        }
        let mut votes = [0.0; EntityType::ALL.len()];
        for name in names {
            votes.iter_mut().zip(name.votes()).for_each(|(sum, vote)| *sum += vote);
        }
        let called =
            ours().filter(|ruling| ruling.ruled == Ruled::Called).max_by_key(|ruling| (ruling.at, ruling.name));
        let (name, aliases) = called_so(names, called.and_then(|ruling| ruling.called.clone()));
        let worth: f64 = names.iter().map(|name| worth(name, now)).sum();
        let mut ids: Vec<NameId> = names.iter().map(|name| name.id).collect();
        ids.sort_unstable();
        let memories: std::collections::BTreeSet<_> = names.iter().flat_map(|name| name.memories.keys()).collect();
        Some(Self {
            id: EntityId(earliest.id.0),
            name,
            kind: most(&votes),
            aliases,
            salience: worth / (worth + HALF_SALIENT),
            mentions: names.iter().map(|name| name.mentions).sum(),
            memories: memories.len() as u64,
            first: earliest.first,
            last: names.iter().map(|name| name.last).max()?,
            names: ids,
        })
    }

    /// Reports whether it has this name.
    pub fn has(&self, name: NameId) -> bool {
        self.names.binary_search(&name).is_ok()
    }

    /// Reports whether one of its names contains `text`, which is folded.
    pub fn is_called(&self, text: &str) -> bool {
        let holds = |name: &String| name.to_lowercase().contains(text);
        holds(&self.name) || self.aliases.iter().any(holds)
    }
}

/// Returns the main name and the others: the one a person chose, then the most frequent; of equals the shortest.
fn called_so(names: &[&Name], given: Option<String>) -> (String, Vec<String>) {
    let mut surfaces: Vec<(&String, u64)> = Vec::new();
    for (surface, count) in names.iter().flat_map(|name| &name.surfaces) {
        match surfaces.iter_mut().find(|(known, _)| *known == surface) {
            Some((_, sum)) => *sum += count,
            None => surfaces.push((surface, *count)),
        }
    }
    surfaces.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.len().cmp(&b.0.len())).then(a.0.cmp(b.0)));
    let mut all: Vec<String> = surfaces.into_iter().map(|(surface, _)| surface.clone()).collect();
    if let Some(given) = given {
        all.retain(|surface| *surface != given);
        return (given, all);
    }
    if all.is_empty() { (String::new(), all) } else { (all.remove(0), all) }
}

/// The current weight of a name's mentions.
fn worth(name: &Name, now: Timestamp) -> f64 {
    let age = |at: Timestamp| Span(now.0.saturating_sub(at.0).max(0)).as_days();
    let recency = libm::exp2(-age(name.last) / HALF_LIFE_DAYS);
    name.memories.values().sum::<f64>() * (0.5 + recency / 2.0)
}
