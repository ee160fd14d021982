//! From hits to candidates: hits lend to the memories around them in their session.
//!
//! In a conversation the words of a question and the answer to it stand in different turns. So a hit lends a part of its
//! strength to the three turns before and after it, more to what follows a question, and its session's best hit lends to
//! every candidate of the session. On LoCoMo this is worth 0.13 of recall at 10.

use super::DEPTH;
use super::explain::FoundBy;
use crate::ports::{LexicalHit, Neighbour, SessionSpot};

/// What a hit lends to the memories 1, 2 and 3 places away.
const LENT_BY_DISTANCE: [f64; 3] = [0.3, 0.2, 0.1];
/// What a hit that asks lends to the memory right after it, on top.
const LENT_TO_ANSWER: f64 = 0.5;
/// What the best hit of a session lends to every candidate in it.
const LENT_BY_SESSION: f64 = 0.3;

/// A memory that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// What is known about it.
    pub hit: LexicalHit,
    /// How strongly it was found: BM25, or what stands in for it.
    pub strength: f64,
    /// How.
    pub by: FoundBy,
}

/// A memory that may be a result.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// What is known about it.
    pub hit: LexicalHit,
    /// How strongly it was found itself; 0 for a mere neighbour.
    pub lexical: f64,
    /// What others of its session lent it.
    pub context: f64,
    /// How it was found.
    pub by: FoundBy,
}

/// Joins what was found in several ways, each memory once, and keeps the best [`DEPTH`], in order of number.
pub fn merge(mut found: Vec<Found>) -> Vec<Found> {
    // By strength within a number too, so that sums do not depend on the order given.
    found.sort_unstable_by(|a, b| a.hit.seq.cmp(&b.hit.seq).then(b.strength.total_cmp(&a.strength)));
    found.dedup_by(|next, kept| {
        let same = next.hit.seq == kept.hit.seq;
        if same {
            kept.strength += next.strength;
            kept.by = kept.by.and(next.by);
        }
        same
    });
    if found.len() > DEPTH {
        found.sort_unstable_by(|a, b| b.strength.total_cmp(&a.strength).then(a.hit.seq.cmp(&b.hit.seq)));
        found.truncate(DEPTH);
        found.sort_unstable_by_key(|one| one.hit.seq);
    }
    found
}

/// The places around what was found by its text, without those that were found themselves: what to ask
/// `VaultReader::at_spots` for, with the same filter. In order.
pub fn spots_around(found: &[Found]) -> Vec<SessionSpot> {
    let taken = spots(found.iter());
    let lending = spots(found.iter().filter(|one| one.by.by_text()));
    let mut around: Vec<SessionSpot> = Vec::with_capacity(lending.len() * 6);
    for SessionSpot { session, position } in lending {
        let first = match around.last() {
            Some(last) if last.session == session => position.saturating_sub(3).max(last.position.saturating_add(1)),
            _ => position.saturating_sub(3),
        };
        around.extend((first.max(0)..=position.saturating_add(3)).map(|position| SessionSpot { session, position }));
    }
    around.retain(|spot| taken.binary_search(spot).is_err());
    around
}

fn spots<'f>(found: impl Iterator<Item = &'f Found>) -> Vec<SessionSpot> {
    let mut spots: Vec<SessionSpot> = found.filter_map(|one| one.hit.spot).collect();
    spots.sort_unstable();
    spots
}

/// All candidates with what was lent to them. The order given does not matter.
pub fn gather(mut found: Vec<Found>, mut neighbours: Vec<Neighbour>) -> Vec<Candidate> {
    // Stable sorts, because what comes is mostly in order already.
    neighbours.sort_by_key(|near| near.seq);
    neighbours.dedup_by_key(|near| near.seq);
    // What was read whole came without its place; as a neighbour it has one.
    for one in &mut found {
        if let Ok(index) = neighbours.binary_search_by_key(&one.hit.seq, |near| near.seq) {
            one.hit = neighbours.remove(index);
        }
    }
    let own =
        found.into_iter().map(|Found { hit, strength, by }| Candidate { hit, lexical: strength, context: 0.0, by });
    let near = neighbours.into_iter().map(|hit| Candidate { hit, lexical: 0.0, context: 0.0, by: FoundBy::NEIGHBOUR });
    let mut all: Vec<Candidate> = own.chain(near).collect();
    all.sort_by_key(|one| (one.hit.spot, one.hit.seq));
    for index in 0..all.len() {
        lend(&mut all, index);
    }
    for session in all.chunk_by_mut(|a, b| session(a) == session(b)).filter(|chunk| session(&chunk[0]).is_some()) {
        let best = session.iter().filter(|one| one.by.by_text()).map(|one| one.lexical).fold(0.0, f64::max);
        for candidate in session {
            candidate.context += LENT_BY_SESSION * best;
        }
    }
    all
}

fn session(candidate: &Candidate) -> Option<i64> {
    candidate.hit.spot.map(|spot| spot.session)
}

/// Lends from one candidate to those around it. They stand beside it in `all`, which is sorted by place.
fn lend(all: &mut [Candidate], index: usize) {
    let Candidate { hit, lexical, by, .. } = &all[index];
    let (Some(spot), strength, asks, true) = (hit.spot, *lexical, hit.traits.asks, by.by_text()) else { return };
    let (first, end) = (index.saturating_sub(3), (index + 4).min(all.len()));
    for near in &mut all[first..end] {
        let Some(place) = near.hit.spot.filter(|place| place.session == spot.session) else { continue };
        let distance = place.position.abs_diff(spot.position);
        let weight = usize::try_from(distance).ok().and_then(|d| LENT_BY_DISTANCE.get(d.checked_sub(1)?));
        near.context += weight.copied().unwrap_or(0.0) * strength;
        if asks && place.position == spot.position.saturating_add(1) {
            near.context += LENT_TO_ANSWER * strength;
        }
    }
}
