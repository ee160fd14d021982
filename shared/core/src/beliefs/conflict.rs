//! Which records contradict each other, and which of two is believed less.

use std::collections::BTreeSet;

use super::claim::{Claim, Says};
use super::read::claims;
use crate::extraction::Domain;
use crate::memory::{Memory, SourceType};
use crate::time::Timestamp;

/// How far confidences lie apart from which the lower one gives way,
pub const GAP: f64 = 0.3;
/// but for what is lost in computing them.
const ROUNDING: f64 = 1e-9;

/// Two records of which not both can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// Whether the one that was stated earlier may just be outdated.
    pub may_change: bool,
    /// Whether a person decides, however far confidences lie apart: a rule may err.
    pub asks: bool,
}

/// Those of some records of which not both can hold, by what they claim, with their places; that all hold now is for the caller to
/// say. Both share namespace, consent and sensitivity.
pub fn conflicts(records: &[&Memory]) -> Vec<(usize, usize, Conflict)> {
    let all: Vec<(&Memory, Domain, Vec<Claim>)> =
        records.iter().map(|record| (*record, Domain::of(record), claims(record))).collect();
    let mut found = Vec::new();
    for (first, (one, domain, ours)) in all.iter().enumerate() {
        for (second, (two, theirs_domain, theirs)) in all.iter().enumerate().skip(first + 1) {
            if domain != theirs_domain || one.id == two.id {
                continue;
            }
            let times = (one.occurred_at(), two.occurred_at());
            let pairs = ours.iter().flat_map(|ours| theirs.iter().map(move |theirs| (ours, theirs)));
            let mut same = pairs.filter(|(ours, theirs)| ours.key == theirs.key);
            found.extend(same.find_map(|(ours, theirs)| clash(ours, theirs, times)).map(|one| (first, second, one)));
        }
    }
    found
}

fn clash(ours: &Claim, theirs: &Claim, (one, two): (Timestamp, Timestamp)) -> Option<Conflict> {
    let plain = |may_change| Conflict { may_change, asks: false };
    // Whether words are of the same thing is guessed.
    let guessed = Conflict { may_change: false, asks: true };
    match (&ours.says, &theirs.says) {
        (Says::Only(ours, fixed), Says::Only(theirs, _)) => {
            ours.excludes(theirs).then_some(Conflict { may_change: !fixed, asks: ours.is_place() })
        }
        (Says::Holds(ours), Says::Holds(theirs)) => (ours != theirs).then_some(plain(true)),
        // What was done later than it was denied is no contradiction.
        (Says::Did(words), Says::Never(about)) => (one <= two && is_of(words, about)).then_some(guessed),
        (Says::Never(about), Says::Did(words)) => (two <= one && is_of(words, about)).then_some(guessed),
        _ => None,
    }
}

/// Whether what was done is of what was never: it has half of its words, and two of them unless there is one only.
fn is_of(done: &BTreeSet<String>, never: &BTreeSet<String>) -> bool {
    let shared = never.intersection(done).count();
    shared >= never.len().min(2) && 2 * shared >= never.len()
}

impl Conflict {
    /// How far a record is to be believed beside the other: as it was stated, less by its age only where that may have changed it.
    pub fn believed(&self, memory: &Memory, now: Timestamp) -> f64 {
        if self.may_change { memory.confidence_at(now) } else { memory.belief.confidence }
    }

    /// The one that gives way, if one does: it is believed less by far and was not stated more surely, is no correction, does not last,
    /// and what may have changed was not stated later than the other.
    pub fn loser<'m>(&self, one: &'m Memory, two: &'m Memory, now: Timestamp) -> Option<&'m Memory> {
        let (ours, theirs) = (self.believed(one, now), self.believed(two, now));
        let (loser, winner) = if ours < theirs { (one, two) } else { (two, one) };
        let surer = loser.belief.confidence > winner.belief.confidence;
        let later = self.may_change && loser.occurred_at() > winner.occurred_at();
        let stays = loser.draft.source_type.is_some_and(SourceType::never_decays) || loser.draft.lasts();
        let far = (ours - theirs).abs() >= GAP - ROUNDING;
        (far && !self.asks && !surer && !later && !stays).then_some(loser)
    }
}
