//! Why a memory was recalled.

/// How a memory was found; several may hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FoundBy(u8);

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

    const NAMES: [(Self, &'static str); 7] = [
        (Self::TERM, "term"),
        (Self::TYPO, "typo"),
        (Self::SUBSTRING, "substring"),
        (Self::NEIGHBOUR, "neighbour"),
        (Self::SESSION, "session"),
        (Self::TIME, "time"),
        (Self::RECENT, "recent"),
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

    /// Whether it was found by what it says, so that it tells something about its neighbours.
    pub const fn by_text(self) -> bool {
        self.0 & (Self::TERM.0 | Self::TYPO.0 | Self::SUBSTRING.0) != 0
    }

    /// The published names.
    pub fn names(self) -> Vec<&'static str> {
        Self::NAMES.iter().filter(|(by, _)| self.holds(*by)).map(|(_, name)| *name).collect()
    }
}

/// The parts of a final score: `semantic` is (`lexical` + `context`) x `speaker_boost` x `time_boost` x `form_boost`,
/// divided by the largest of all candidates; the final score is `lambda` x `semantic` + (1 - `lambda`) x `memory_score` +
/// `freshness_boost`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Explanation {
    /// BM25 of the memory itself, or what stands in for it when it was found otherwise; 0 for a mere neighbour.
    pub lexical: f64,
    /// What neighbours in its session lent it.
    pub context: f64,
    /// The factor for the speaker named in the query.
    pub speaker_boost: f64,
    /// The factor for the time named or asked for in the query.
    pub time_boost: f64,
    /// The factor for its form: below 1 for questions and for texts of a few words.
    pub form_boost: f64,
    /// All the above joined, in [0, 1].
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
