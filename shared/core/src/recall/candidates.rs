//! From hits to candidates: hits lend to the memories around them in their session.
//!
//! In a conversation the words of a question and the answer to it stand in different turns. So a hit lends a part of its
//! strength to the three turns before and after it, more to what follows a question, and its session's best hit lends to
//! every candidate of the session. On LoCoMo this is worth 0.13 of recall at 10. What vectors found lends alike; the two
//! are kept apart, so that they can be joined in more than one way.

use super::DEPTH;
use super::explain::FoundBy;
use crate::ports::{LexicalHit, Neighbour, SessionSpot};

/// What a hit lends to the memories 1, 2 and 3 places away.
const LENT_BY_DISTANCE: [f64; 3] = [0.3, 0.2, 0.1];
/// What a hit that asks lends to the memory right after it, on top.
const LENT_TO_ANSWER: f64 = 0.5;
/// What the best hit of a session lends to every candidate in it.
const LENT_BY_SESSION: f64 = 0.3;

/// Words of a text from which on its length speaks against it, beyond what BM25 makes of it.
const LONG_FROM: u32 = 80;
/// With so many words more a text counts half.
const HALVED_BY: f64 = 300.0;

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

    /// Found by its words: BM25, less for long texts. No text of a conversation is so long that BM25 would not find it
    /// again for any question, as it holds every word of it.
    pub fn by_words(hit: LexicalHit) -> Self {
        let strength = hit.bm25 * share_of_length(hit.traits.words);
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

fn share_of_length(words: u32) -> f64 {
    HALVED_BY / (HALVED_BY + f64::from(words.saturating_sub(LONG_FROM)))
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
    let near = neighbours.into_iter().map(|hit| Found::new(hit, 0.0, FoundBy::NEIGHBOUR));
    let mut all: Vec<Candidate> = found.into_iter().chain(near).map(Candidate::alone).collect();
    all.sort_by_key(|one| (one.hit.spot, one.hit.seq));
    for index in 0..all.len() {
        lend(&mut all, index);
    }
    for session in all.chunk_by_mut(|a, b| session(a) == session(b)).filter(|chunk| session(&chunk[0]).is_some()) {
        let best = session.iter().filter(|one| one.by.by_text()).map(|one| one.lexical).fold(0.0, f64::max);
        let nearest = session.iter().map(|one| one.vector).fold(0.0, f64::max);
        for candidate in session {
            candidate.context += LENT_BY_SESSION * best;
            candidate.vector_context += LENT_BY_SESSION * nearest;
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
fn lend(all: &mut [Candidate], index: usize) {
    let Candidate { hit, lexical, vector, by, .. } = &all[index];
    let (strength, vector, asks) = (if by.by_text() { *lexical } else { 0.0 }, *vector, hit.traits.briefly_asks());
    let (Some(spot), true) = (hit.spot, strength > 0.0 || vector > 0.0) else { return };
    let (first, end) = (index.saturating_sub(3), (index + 4).min(all.len()));
    for near in &mut all[first..end] {
        let Some(place) = near.hit.spot.filter(|place| place.session == spot.session) else { continue };
        let distance = place.position.abs_diff(spot.position);
        let weight = usize::try_from(distance).ok().and_then(|d| LENT_BY_DISTANCE.get(d.checked_sub(1)?));
        let weight = weight.copied().unwrap_or(0.0);
        near.context += weight * strength;
        near.vector_context += weight * vector;
        if asks && place.position == spot.position.saturating_add(1) {
            near.context += LENT_TO_ANSWER * strength;
            near.vector_context += LENT_TO_ANSWER * vector;
        }
    }
}
