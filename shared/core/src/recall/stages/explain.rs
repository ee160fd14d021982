//! Explains why a memory was recalled.

use super::fusion::Fusion;
use super::{Stage, Stages};
use crate::ids::Seq;

/// The ways in which a memory was found; several may apply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FoundBy(u16);

impl FoundBy {
    /// It holds a word of the query or a form of one.
    pub const TERM: Self = Self(1);
    /// It holds a word that stands in for a misspelled one.
    pub const TYPO: Self = Self(1 << 1);
    /// It holds a part of the query's text verbatim.
    pub const SUBSTRING: Self = Self(1 << 2);
    /// It stands near a memory that was found.
    pub const NEIGHBOUR: Self = Self(1 << 3);
    /// It is a short-term memory of the active session.
    pub const SESSION: Self = Self(1 << 4);
    /// It happened at a time that the query names.
    pub const TIME: Self = Self(1 << 5);
    /// The query holds no word, and it is recent.
    pub const RECENT: Self = Self(1 << 6);
    /// Its vector is near to that of the query.
    pub const VECTOR: Self = Self(1 << 7);
    /// A passage of its text holds a word of the query.
    pub const PASSAGE: Self = Self(1 << 8);

    /// It names an entity of the query, or one near it.
    pub const ENTITY: Self = Self(1 << 9);

    const NAMES: [(Self, &'static str); 10] = [
        (Self::TERM, "term"),
        (Self::TYPO, "typo"),
        (Self::SUBSTRING, "substring"),
        (Self::NEIGHBOUR, "neighbour"),
        (Self::SESSION, "session"),
        (Self::TIME, "time"),
        (Self::RECENT, "recent"),
        (Self::VECTOR, "vector"),
        (Self::PASSAGE, "passage"),
        (Self::ENTITY, "entity"),
    ];

    /// Returns the union of both.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns this without the other.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Reports whether all ways of `other` apply.
    pub const fn holds(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Reports whether it was found by its words, so that they tell something about its neighbours.
    pub const fn by_text(self) -> bool {
        self.0 & (Self::TERM.0 | Self::TYPO.0 | Self::SUBSTRING.0) != 0
    }

    /// Returns the published names.
    pub fn names(self) -> Vec<&'static str> {
        Self::NAMES.iter().filter(|(by, _)| self.holds(*by)).map(|(_, name)| *name).collect()
    }
}

/// A candidate with its final score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ranked {
    /// Its sequence number.
    pub seq: Seq,
    /// The final score.
    pub score: f64,
    /// The parts of the score.
    pub parts: Explanation,
}

/// The parts of a final score.
///
/// The strength is (`lexical` + `context` + `vector` + `vector_context`) x `speaker_boost` x `time_boost` x
/// `form_boost` x `stale_factor`. `semantic` is four fifths the strength as a share of the best candidate's, and one
/// fifth the rank among the first 50. The final score is (`lambda` x `semantic` + (1 - `lambda`) x `memory_score` +
/// `freshness_boost`) x `cold_factor` x `ended_factor`. With [`Fusion::Rrf`] the strength comes from two rankings instead, by
/// (`lexical` + `context`) and by (`vector` + `vector_context`), each times the same factors.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Explanation {
    /// The memory's own BM25, reduced for long texts, or its substitute if it was found by other means; 0 for a mere
    /// neighbour.
    pub lexical: f64,
    /// The strength by words that neighbours in its session added.
    pub context: f64,
    /// The cosine between its vector and the query's, if compared. The query's vector is reduced by what all memories
    /// of the user have in common.
    pub cosine: Option<f32>,
    /// The strength of the cosine, in units of BM25; 0 if it is no nearer than others. Estimated from `lexical` if the
    /// memory was found by words and has no vector yet.
    pub vector: f64,
    /// The strength by vectors that neighbours in its session added.
    pub vector_context: f64,
    /// How the two rankings were joined; `None` if there was only that of words.
    pub fusion: Option<Fusion>,
    /// The factor for the speaker that the query names.
    pub speaker_boost: f64,
    /// The factor for the time that the query names or asks for.
    pub time_boost: f64,
    /// The factor for its form: below 1 for questions and for texts of a few words.
    pub form_boost: f64,
    /// The factor for a memory that lost a part of its sources; 1 for all others.
    pub stale_factor: f64,
    /// The factor of the final score for a cold memory; 1 for all others.
    pub cold_factor: f64,
    /// The factor of the final score for a turn that ended; 1 for all others.
    pub ended_factor: f64,
    /// All strengths and factors above, as a share of the best candidate's, in [0, 1].
    pub share: f64,
    /// The share combined with its rank among all candidates, in [0, 1].
    pub semantic: f64,
    /// The memory's own score in [0, 1].
    pub memory_score: f64,
    /// The amount that its freshness adds.
    pub freshness_boost: f64,
    /// The weight of `semantic` in the final score.
    pub lambda: f64,
    /// How it was found.
    pub found_by: FoundBy,
}

impl Explanation {
    /// Returns the part of each stage that takes part, in stage order: strengths, factors, and added amounts.
    pub fn parts(&self, stages: Stages) -> Vec<(Stage, f64)> {
        let is = |by: FoundBy| f64::from(u8::from(self.found_by.holds(by)));
        let mut parts = vec![
            (Stage::Typos, is(FoundBy::TYPO)),
            (Stage::Words, self.lexical),
            (Stage::Parts, is(FoundBy::SUBSTRING)),
            (Stage::Passages, is(FoundBy::PASSAGE)),
            (Stage::Entities, is(FoundBy::ENTITY)),
            (Stage::Time, self.time_boost),
            (Stage::Vectors, self.vector),
            (Stage::Neighbours, self.context + self.vector_context),
            (Stage::Roles, self.speaker_boost),
            (Stage::Form, self.form_boost),
            (Stage::Stale, self.stale_factor),
            (Stage::Fuse, self.semantic),
            (Stage::Weigh, (1.0 - self.lambda) * self.memory_score + self.freshness_boost),
            (Stage::Cold, self.cold_factor),
            (Stage::Ended, self.ended_factor),
            (Stage::Session, is(FoundBy::SESSION)),
        ];
        parts.retain(|(stage, _)| stages.on(*stage));
        parts
    }
}
