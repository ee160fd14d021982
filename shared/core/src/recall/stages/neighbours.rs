//! From hits to candidates: hits lend to the memories around them in their session.
//!
//! In a conversation the words of a question and the answer to it stand in different turns. So a hit lends a part of
//! its strength to the four turns before and after it, to the last of them only among brief ones, more to what follows
//! a question, and its session's best hit lends to every candidate of the session. On LoCoMo this is worth 0.13 of
//! recall at 10. What vectors found lends alike; the two are kept apart, so that they can be joined in more than one
//! way.

use super::explain::FoundBy;
use crate::ports::{Neighbour, SessionSpot};
use crate::recall::candidates::{Candidate, Found};
use crate::recall::{Plan, Stage, Weights};

/// So many places away memories are lent to, at most.
const REACH: usize = 4;
const FAR: i64 = 4;
/// So many places away long texts lend and are lent to, too.
const NEAR: u64 = 3;

/// The places around what was found by its text or vector, without those that were found themselves: what to ask
/// `VaultReader::at_spots` for, with the same filter. In order.
pub fn spots_around(found: &[Found]) -> Vec<SessionSpot> {
    let taken = spots(found.iter());
    let lending = spots(found.iter().filter(|one| one.lends()));
    let mut around: Vec<SessionSpot> = Vec::with_capacity(lending.len() * 2 * REACH);
    for SessionSpot { session, position } in lending {
        let first = match around.last() {
            Some(last) if last.session == session => position.saturating_sub(FAR).max(last.position.saturating_add(1)),
            _ => position.saturating_sub(FAR),
        };
        around.extend((first.max(0)..=position.saturating_add(FAR)).map(|position| SessionSpot { session, position }));
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
pub fn gather(mut found: Vec<Found>, mut neighbours: Vec<Neighbour>, plan: &Plan) -> Vec<Candidate> {
    // Stable sorts, because what comes is mostly in order already.
    neighbours.sort_by_key(|near| near.seq);
    neighbours.dedup_by_key(|near| near.seq);
    // What was read whole came without its place; as a neighbour it has one.
    for one in &mut found {
        if let Ok(index) = neighbours.binary_search_by_key(&one.hit.seq, |near| near.seq) {
            one.hit = neighbours.remove(index);
        }
    }
    let near = neighbours.into_iter().map(|hit| Found::new(hit, 0.0, FoundBy::NEIGHBOUR));
    let mut all: Vec<Candidate> = found.into_iter().chain(near).map(Candidate::alone).collect();
    all.sort_by_key(|one| (one.hit.spot, one.hit.seq));
    if plan.on(Stage::Neighbours) {
        lend_all(&mut all, &plan.weights);
    }
    all
}

/// Lends from each candidate to those around it, and from the best of a session to all of it.
fn lend_all(all: &mut [Candidate], weights: &Weights) {
    for index in 0..all.len() {
        lend(all, index, weights);
    }
    for session in all.chunk_by_mut(|a, b| session(a) == session(b)).filter(|chunk| session(&chunk[0]).is_some()) {
        let best = session.iter().filter(|one| one.by.by_text()).map(|one| one.lexical).fold(0.0, f64::max);
        let nearest = session.iter().map(|one| one.vector).fold(0.0, f64::max);
        for candidate in session {
            candidate.context += weights.lent_by_session * best;
            candidate.vector_context += weights.lent_by_session * nearest;
        }
    }
}

fn session(candidate: &Candidate) -> Option<i64> {
    candidate.hit.spot.map(|spot| spot.session)
}

/// Lends from one candidate to those around it. They stand beside it in `all`, which is sorted by place.
fn lend(all: &mut [Candidate], index: usize, weights: &Weights) {
    let Candidate { hit, lexical, vector, by, .. } = &all[index];
    let (strength, vector) = (if by.by_text() { *lexical } else { 0.0 }, *vector);
    // A person tells an assistant many things and ends with "can you help me?": what follows answers no brief question.
    let is_brief = weights.is_brief(hit.traits.words);
    let asks = hit.traits.asks && is_brief;
    let (Some(spot), true) = (hit.spot, strength > 0.0 || vector > 0.0) else { return };
    let (first, end) = (index.saturating_sub(REACH), (index + REACH + 1).min(all.len()));
    for near in &mut all[first..end] {
        let Some(place) = near.hit.spot.filter(|place| place.session == spot.session) else { continue };
        let distance = place.position.abs_diff(spot.position);
        // Long texts are about more than what stands far from them.
        let reaches = distance <= NEAR || (is_brief && weights.is_brief(near.hit.traits.words));
        let weight = if reaches { weights.lent_at(distance) } else { 0.0 };
        near.context += weight * strength;
        near.vector_context += weight * vector;
        if asks && place.position == spot.position.saturating_add(1) {
            near.context += weights.lent_to_answer * strength;
            near.vector_context += weights.lent_to_answer * vector;
        }
    }
}
