//! The constants of the stages, in one place; those of vectors are in [`super::calibration`].
//!
//! [`Weights`] were chosen by hand on the development splits of three styles of conversation (two friends, a person
//! with an assistant, meetings). `tests/bench/run recall-quality --fit` searches for better values around them, one
//! constant after the other, by the mean over styles. Texts of a data set matter only by being found or not.

use crate::time::Span;

/// Best hits of the index that are read: more than take part, because long texts hold every word and crowd out the
/// rest.
pub const HITS: usize = 400;
/// Best of the found memories that take part; more would change recall by less than 0.002 on LoCoMo.
pub const DEPTH: usize = 100;
/// Strength of a memory that fits only by its time, as a share of the best hit's.
pub(super) const TIME_STRENGTH: f64 = 0.3;
/// The factors of a memory that fits the time that the query names, and of one that fits it to the day or in two ways.
pub(super) const TIME_FITS: (f64, f64) = (2.0, 3.0);
/// Rank fusion: the constant that flattens differences between the first ranks, and the weight of a rank by words,
/// relative to 1 by vectors. From the `KinBot` document.
pub(super) const RANK_CONSTANT: f64 = 60.0;
pub(super) const WORDS_BOOST: f64 = 1.2;
/// The strength of the best result of an alternative query, as a share of the original query's best.
pub const ALTERNATIVE: f64 = 0.7;
/// The share of `semantic` in the final score.
pub(super) const LAMBDA: f64 = 0.95;
/// The share of a candidate's rank in `semantic`, and how many ranks count; the rest is the share of its strength. A
/// word that most memories hold has almost no BM25, so strengths alone cannot order memories that hold only such words.
pub(super) const RANK: f64 = 0.2;
pub(super) const RANKS: usize = 50;
/// The bonus of a memory that happens right now.
pub(super) const FRESHNESS: f64 = 0.02;
/// The age at which half of the bonus is gone; after twice that time, a third is left.
pub(super) const FRESHNESS_HALVED: Span = Span::days(30);

/// The weights for and against a memory that was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weights {
    /// Words from which the length of a text counts against it, beyond BM25: long answers hold every word of every
    /// question.
    pub long_from: f64,
    /// With this many more words a text counts half.
    pub halved_by: f64,
    /// The share of a hit's strength added to the adjacent memory; each further position gets a quarter of it less.
    pub lent_to_next: f64,
    /// The additional share that a brief question adds to the memory right after it.
    pub lent_to_answer: f64,
    /// The share that the best hit of a session adds to every candidate in it.
    pub lent_by_session: f64,
    /// Maximum words of a brief text; a longer one contains statements even if it asks a question.
    pub brief: f64,
    /// The factor for a text that is hardly more than a question, as it asks rather than tells. Only in a session,
    /// where something may answer it.
    pub question: f64,
    /// A text of this many words counts half; one of three words, such as a greeting, counts three quarters.
    pub half_length: f64,
    /// The factor for memories by the speaker that the query names.
    pub speaker: f64,
    /// The factor for a text that names a time, if the query asks for one.
    pub tells_when: f64,
    /// The factor for the assistant's words, if a person asks about themselves.
    pub assistant: f64,
    /// The factor for the assistant's words, if the query asks for them.
    pub assistant_asked: f64,
    /// The factor for a person's standing wish about what an assistant does, such as "always ..." or "I prefer ...".
    pub directive: f64,
    /// The most words of a text with such a wish; in a longer one it is said in passing.
    pub directive_words: f64,
    /// The factor for memories that lost a part of their sources.
    pub stale: f64,
    /// The factor for cold memories.
    pub cold: f64,
    /// The factor for turns that ended.
    pub ended: f64,
    /// Whether words about talking, such as "mentioned", are dropped from the query.
    pub drop_talk: bool,
}

impl Weights {
    /// The values chosen.
    pub const FITTED: Self = Self {
        long_from: 80.0,
        halved_by: 300.0,
        lent_to_next: 0.3,
        lent_to_answer: 0.5,
        lent_by_session: 0.3,
        brief: 40.0,
        question: 0.75,
        half_length: 1.0,
        speaker: 1.3,
        tells_when: 1.2,
        assistant: 0.625,
        assistant_asked: 1.3,
        directive: 2.0,
        directive_words: 100.0,
        stale: 0.5,
        cold: 0.9,
        ended: 0.5,
        drop_talk: true,
    };

    /// Returns the share of its BM25 that a text of this many words keeps.
    pub(super) fn share_of_length(&self, words: u32) -> f64 {
        self.halved_by / (self.halved_by + (f64::from(words) - self.long_from).max(0.0))
    }

    /// Returns the share of a hit's strength added to a memory this many positions away.
    pub(super) fn lent_at(&self, distance: u64) -> f64 {
        match distance {
            1 => self.lent_to_next,
            2 => self.lent_to_next * 0.75,
            3 => self.lent_to_next * 0.5,
            4 => self.lent_to_next * 0.25,
            _ => 0.0,
        }
    }

    /// Reports whether a text is short enough to be nothing but the question that it holds.
    pub(super) fn is_brief(&self, words: u32) -> bool {
        f64::from(words) <= self.brief
    }
}

impl Default for Weights {
    fn default() -> Self {
        Self::FITTED
    }
}
