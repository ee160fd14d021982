//! Turns found memories into candidates, and adds strength to the memories around them in their session.
//!
//! In a conversation, the words of a question and its answer are in different turns. So a hit adds a part of its
//! strength to the four turns before and after it (the fourth only if both are brief), and more to the turn after a
//! question. Its session's best hit adds to every candidate of the session. On LoCoMo this adds 0.13 to recall at 10.
//! Strengths by vectors are added in the same way, but separately, so that both can be fused in several ways.

use super::explain::FoundBy;
use crate::ports::{Neighbour, SessionSpot};
use crate::recall::candidates::{Candidate, Found};
use crate::recall::{Plan, Stage, Weights};

/// The greatest distance, in turns, over which strength is added.
const REACH: usize = 4;
const FAR: i64 = 4;
/// The greatest distance from or to a long text.
const NEAR: u64 = 3;

/// Returns the spots around memories found by text or vector, except those of memories found themselves. These are the
/// spots to request from `VaultReader::at_spots`, with the same filter. In order.
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

/// Returns all candidates with the strength added to them. The input order does not matter.
pub fn gather(mut found: Vec<Found>, mut neighbours: Vec<Neighbour>, plan: &Plan) -> Vec<Candidate> {
    // Stable sorts, because the input is mostly sorted already.
    neighbours.sort_by_key(|near| near.seq);
    neighbours.dedup_by_key(|near| near.seq);
    // Memories that were read whole have no spot; as neighbours they do.
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

/// Lends from each candidate to those around it, and from the best of a session to all of the session.
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

/// Lends from one candidate to those around it, which are next to it in `all`, as that is sorted by spot.
fn lend(all: &mut [Candidate], index: usize, weights: &Weights) {
    let Candidate { hit, lexical, vector, by, .. } = &all[index];
    let (strength, vector) = (if by.by_text() { *lexical } else { 0.0 }, *vector);
    // People tell an assistant many things and end with "can you help me?": what follows is no answer to a brief
    // question.
    let is_brief = weights.is_brief(hit.traits.words);
    let asks = hit.traits.asks && is_brief;
    let (Some(spot), true) = (hit.spot, strength > 0.0 || vector > 0.0) else { return };
    let (first, end) = (index.saturating_sub(REACH), (index + REACH + 1).min(all.len()));
    for near in &mut all[first..end] {
        let Some(other) = near.hit.spot.filter(|other| other.session == spot.session) else { continue };
        let distance = other.position.abs_diff(spot.position);
        // Long texts have topics that distant turns have nothing to do with.
        let reaches = distance <= NEAR || (is_brief && weights.is_brief(near.hit.traits.words));
        let weight = if reaches { weights.lent_at(distance) } else { 0.0 };
        near.context += weight * strength;
        near.vector_context += weight * vector;
        if asks && other.position == spot.position.saturating_add(1) {
            near.context += weights.lent_to_answer * strength;
            near.vector_context += weights.lent_to_answer * vector;
        }
    }
}
