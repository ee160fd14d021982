//! Contradictions between records, and which of two is superseded.

use std::collections::BTreeSet;

use super::claim::{Claim, Says};
use super::done::{DESCRIBES, REQUIRED};
use super::read::claims;
use crate::extraction::Domain;
use crate::memory::{Memory, SourceType};
use crate::time::Timestamp;

/// Difference of confidence from which the lower one is superseded.
pub const GAP: f64 = 0.3;
/// Tolerance for rounding errors.
const ROUNDING: f64 = 1e-9;

/// Two records that cannot both be true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// Whether the older statement may simply be outdated.
    pub may_change: bool,
    /// Whether a person must decide whatever the confidences, since the rule may be wrong.
    pub asks: bool,
}

/// Finds the pairs of records whose claims cannot both be true, as positions in `records`. The caller ensures that all
/// hold now.
/// Only records with the same namespace, consent and sensitivity are compared.
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
            let same = pairs.filter(|(ours, theirs)| ours.key == theirs.key);
            let clashes = same.filter_map(|(ours, theirs)| clash(ours, theirs, times));
            // The surest one counts.
            found.extend(clashes.min_by_key(|conflict| conflict.asks).map(|one| (first, second, one)));
        }
    }
    found
}

fn clash(ours: &Claim, theirs: &Claim, (one, two): (Timestamp, Timestamp)) -> Option<Conflict> {
    let plain = |may_change| Conflict { may_change, asks: ours.guessed || theirs.guessed };
    // That two sets of words mean the same thing is a guess.
    let guessed = Conflict { may_change: false, asks: true };
    match (&ours.says, &theirs.says) {
        (Says::Only(ours, fixed), Says::Only(theirs, _)) => {
            let found = plain(!fixed);
            ours.excludes(theirs).then_some(Conflict { asks: found.asks || ours.is_place(), ..found })
        }
        (Says::Holds(ours), Says::Holds(theirs)) => (ours != theirs).then_some(plain(true)),
        // What ended may begin again.
        (Says::Holds(true), Says::Ended) => (one <= two).then_some(plain(true)),
        (Says::Ended, Says::Holds(true)) => (two <= one).then_some(plain(true)),
        // Something done after it was denied is no contradiction.
        (Says::Did(words), Says::Never(about)) => (one <= two && is_of(words, about)).then_some(guessed),
        (Says::Never(about), Says::Did(words)) => (two <= one && is_of(words, about)).then_some(guessed),
        _ => None,
    }
}

/// Reports whether what was done is covered by what was never done: it shares at least half of the latter's words,
/// and two of them. If there is only one, it must not describe another word.
fn is_of(done: &BTreeSet<String>, never: &BTreeSet<String>) -> bool {
    let (names, words): (Vec<&String>, Vec<&String>) = never.iter().partition(|word| word.starts_with(REQUIRED));
    let missing = |name: &&String| !done.contains(name.trim_start_matches(REQUIRED));
    if names.iter().any(missing) {
        return false;
    }
    if let [only] = words.as_slice() {
        return done.contains(*only) && !done.contains(&format!("{DESCRIBES}{only}"));
    }
    let shared = words.iter().filter(|word| done.contains(**word)).count();
    shared > 1 && 2 * shared >= words.len()
}

impl Conflict {
    /// Returns the confidence used in the comparison: decayed with age only if the statement may have changed.
    pub fn believed(&self, memory: &Memory, now: Timestamp) -> f64 {
        if self.may_change { memory.confidence_at(now) } else { memory.belief.confidence }
    }

    /// Returns the record that is superseded, if any. Its confidence must be lower by [`GAP`] and not higher as
    /// stated; it must not be a correction or lasting, and if the statement may have changed, not the later one.
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
