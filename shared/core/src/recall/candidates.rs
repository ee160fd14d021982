//! From hits to candidates: hits lend to the memories around them in their session.
//!
//! In a conversation the words of a question and the answer to it stand in different turns. So a hit lends a part of
//! its strength to the four turns before and after it, to the last of them only among brief ones, more to what follows
//! a question, and its session's best hit lends to every candidate of the session. On LoCoMo this is worth 0.13 of
//! recall at 10. What vectors found lends alike; the two are kept apart, so that they can be joined in more than one
//! way.

use super::DEPTH;
use super::Weights;
use super::explain::FoundBy;
use crate::ports::{LexicalHit, Neighbour, SessionSpot};

/// So many places away memories are lent to, at most.
const REACH: usize = 4;
const FAR: i64 = 4;
/// So many places away long texts lend and are lent to, too.
const NEAR: u64 = 3;

/// A memory that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// What is known about it.
    pub hit: LexicalHit,
    /// How strongly it was found: BM25, or what stands in for it; 0 for what only its vector found.
    pub strength: f64,
    /// How strongly its vector found it, in units of BM25.
    pub vector: f64,
    /// Cosine between its vector and the query's, if it was compared.
    pub cosine: Option<f32>,
    /// How.
    pub by: FoundBy,
}

impl Found {
    /// Found other than by its vector.
    pub fn new(hit: LexicalHit, strength: f64, by: FoundBy) -> Self {
        Self { hit, strength, vector: 0.0, cosine: None, by }
    }

    /// Found by its words: BM25, less for long texts.
    pub fn by_words(hit: LexicalHit, weights: &Weights) -> Self {
        let strength = hit.bm25 * weights.share_of_length(hit.traits.words);
        Self::new(hit, strength, FoundBy::TERM)
    }

    /// Whether it tells something about its neighbours.
    fn lends(&self) -> bool {
        self.by.by_text() || self.by.holds(FoundBy::VECTOR)
    }
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
    /// How strongly its vector found it, in the same units.
    pub vector: f64,
    /// What others of its session lent it of that.
    pub vector_context: f64,
    /// Cosine between its vector and the query's, if it was compared.
    pub cosine: Option<f32>,
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
pub fn gather(mut found: Vec<Found>, mut neighbours: Vec<Neighbour>, weights: &Weights) -> Vec<Candidate> {
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
    for index in 0..all.len() {
        lend(&mut all, index, weights);
    }
    for session in all.chunk_by_mut(|a, b| session(a) == session(b)).filter(|chunk| session(&chunk[0]).is_some()) {
        let best = session.iter().filter(|one| one.by.by_text()).map(|one| one.lexical).fold(0.0, f64::max);
        let nearest = session.iter().map(|one| one.vector).fold(0.0, f64::max);
        for candidate in session {
            candidate.context += weights.lent_by_session * best;
            candidate.vector_context += weights.lent_by_session * nearest;
        }
    }
    all
}

impl Candidate {
    /// What was found, before anything was lent to it.
    fn alone(found: Found) -> Self {
        let Found { hit, strength, vector, cosine, by } = found;
        Self { hit, lexical: strength, context: 0.0, vector, vector_context: 0.0, cosine, by }
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
