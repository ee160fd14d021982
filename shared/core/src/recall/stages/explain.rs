//! Why a memory was recalled.

use super::fuse::Fusion;
use super::{Stage, Stages};

/// How a memory was found; several may hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FoundBy(u16);

impl FoundBy {
    /// It holds a word of the query or a form of one.
    pub const TERM: Self = Self(1);
    /// It holds a word that stands in for a misspelled one.
    pub const TYPO: Self = Self(1 << 1);
    /// It holds a part of the query's text as it stands.
    pub const SUBSTRING: Self = Self(1 << 2);
    /// It stands near a memory that was found.
    pub const NEIGHBOUR: Self = Self(1 << 3);
    /// It is a short-term memory of the active session.
    pub const SESSION: Self = Self(1 << 4);
    /// It happened when the query says.
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

    /// Both together.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// This without the other.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether all of `other` holds.
    pub const fn holds(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether it was found by its words, so that they tell something about its neighbours.
    pub const fn by_text(self) -> bool {
        self.0 & (Self::TERM.0 | Self::TYPO.0 | Self::SUBSTRING.0) != 0
    }

    /// The published names.
    pub fn names(self) -> Vec<&'static str> {
        Self::NAMES.iter().filter(|(by, _)| self.holds(*by)).map(|(_, name)| *name).collect()
    }
}

/// The parts of a final score: `semantic` is (`lexical` + `context` + `vector` + `vector_context`) x `speaker_boost` x
/// `time_boost` x `form_boost` x `stale_factor`, four fifths of it as a share of the best candidate's, a fifth by its place among the first 50; the final score is `lambda` x `semantic` + (1 -
/// `lambda`) x `memory_score` + `freshness_boost`, all of it times `cold_factor`. With [`Fusion::Rrf`] `semantic` comes from two rankings instead, by
/// (`lexical` + `context`) and by (`vector` + `vector_context`), each times the same factors.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Explanation {
    /// BM25 of the memory itself, less for long texts, or what stands in for it when it was found otherwise; 0 for a mere neighbour.
    pub lexical: f64,
    /// What neighbours in its session lent it of theirs.
    pub context: f64,
    /// Cosine between its vector and the query's, the latter without what all memories of the user have in common; if it has
    /// one that was compared.
    pub cosine: Option<f32>,
    /// What its cosine counts, in units of BM25; 0 for one that is no nearer than others. Estimated from `lexical` for
    /// what was found by words and has no vector yet.
    pub vector: f64,
    /// What neighbours in its session lent it of that.
    pub vector_context: f64,
    /// How the two lists were joined; `None` if there was only that of words.
    pub fusion: Option<Fusion>,
    /// The factor for the speaker named in the query.
    pub speaker_boost: f64,
    /// The factor for the time named or asked for in the query.
    pub time_boost: f64,
    /// The factor for its form: below 1 for questions and for texts of a few words.
    pub form_boost: f64,
    /// The factor for what lost a part of what it was derived from; 1 for all else.
    pub stale_factor: f64,
    /// The factor of the final score for what is cold; 1 for all else.
    pub cold_factor: f64,
    /// All the above joined, as a share of the best candidate's; in [0, 1].
    pub share: f64,
    /// That and its place among all candidates, in [0, 1].
    pub semantic: f64,
    /// The memory's own score in [0, 1].
    pub memory_score: f64,
    /// What its freshness added.
    pub freshness_boost: f64,
    /// The share of `semantic`.
    pub lambda: f64,
    /// How it was found.
    pub found_by: FoundBy,
}

impl Explanation {
    /// What each stage that takes part has to do with this memory, by order of stages: strengths, factors, what is added.
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
            (Stage::Session, is(FoundBy::SESSION)),
        ];
        parts.retain(|(stage, _)| stages.on(*stage));
        parts
    }
}
