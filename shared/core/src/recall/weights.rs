//! The constants of the stages, in one place; those of vectors are beside them in [`super::calibration`].
//!
//! [`Weights`] were chosen by hand on the developed parts of three styles of conversation (two friends, a person with an
//! assistant, meetings); `tests/bench/run recall-quality --fit` looks for better ones around them, one constant after the other,
//! by the mean over styles. No text of a data set decides anything but by being found or not.

use crate::time::Span;

/// Best hits of the index that are looked at: more than take part, as long texts hold every word and crowd out the rest.
pub const HITS: usize = 400;
/// Best of what was found that take part; more would change recall by less than 0.002 on LoCoMo.
pub const DEPTH: usize = 100;
/// Strength of a memory that fits only by its time, as a share of the best hit.
pub(super) const TIME_STRENGTH: f64 = 0.3;
/// The factor of what fits the time that the query names, and of what fits it to the day or in two ways.
pub(super) const TIME_FITS: (f64, f64) = (2.0, 3.0);
/// Rank fusion: how little the first places differ, and what a place in the list of words counts, to 1 for one in that of
/// vectors. As the document of `KinBot` has them.
pub(super) const RANK_CONSTANT: f64 = 60.0;
pub(super) const WORDS_BOOST: f64 = 1.2;
/// How strong the best of other words for a query is beside the best of its own.
pub const ALTERNATIVE: f64 = 0.7;
/// The share of `semantic` in the final score.
pub(super) const LAMBDA: f64 = 0.95;
/// The share of a candidate's place in `semantic`, and how many places count; the rest is that of its strength. A word that most memories hold is worth next to
/// nothing in BM25, so that strengths alone cannot tell apart what holds only such words.
pub(super) const PLACE: f64 = 0.2;
pub(super) const PLACES: usize = 50;
/// What something that happens right now gets on top.
pub(super) const FRESHNESS: f64 = 0.02;
/// How long until half of it is gone; a third is left after twice that time.
pub(super) const FRESHNESS_HALVED: Span = Span::days(30);

/// What speaks for and against a memory that was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weights {
    /// Words of a text from which on its length counts against it, beyond what BM25 makes of it: long answers hold every
    /// word of every question.
    pub long_from: f64,
    /// With so many words more a text counts half.
    pub halved_by: f64,
    /// What a hit lends to the memory beside it; a quarter less with each place further.
    pub lent_to_next: f64,
    /// What a brief question lends to the memory right after it, on top.
    pub lent_to_answer: f64,
    /// What the best hit of a session lends to every candidate in it.
    pub lent_by_session: f64,
    /// A text of more words tells something, whatever it asks besides.
    pub brief: f64,
    /// For a text that is little but a question: it rather asks than tells. Only in a session, where something may answer.
    pub question: f64,
    /// A text of this many words counts half; of a greeting's three words, three quarters.
    pub half_length: f64,
    /// For what the speaker named in the query says.
    pub speaker: f64,
    /// For a text that names a time, when the query asks for one.
    pub tells_when: f64,
    /// For what the assistant said, when a person asks about themselves.
    pub assistant: f64,
    /// For what the assistant said, when the query asks for that.
    pub assistant_asked: f64,
    /// For a standing wish of the person's about what an assistant does, such as "always ..." or "I prefer ...".
    pub directive: f64,
    /// In a text of more words such a wish is said in passing.
    pub directive_words: f64,
    /// For what lost a part of what it was derived from.
    pub stale: f64,
    /// For what is cold.
    pub cold: f64,
    /// Whether words about talking, such as "mentioned", are left out of the query.
    pub drop_talk: bool,
}

impl Weights {
    /// As chosen.
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
        drop_talk: true,
    };

    /// The share that a text of so many words keeps of its BM25.
    pub(super) fn share_of_length(&self, words: u32) -> f64 {
        self.halved_by / (self.halved_by + (f64::from(words) - self.long_from).max(0.0))
    }

    /// What a hit lends to the memory so many places away.
    pub(super) fn lent_at(&self, distance: u64) -> f64 {
        match distance {
            1 => self.lent_to_next,
            2 => self.lent_to_next * 0.75,
            3 => self.lent_to_next * 0.5,
            4 => self.lent_to_next * 0.25,
            _ => 0.0,
        }
    }

    /// Whether a text is short enough to be nothing but the question that it holds.
    pub(super) fn is_brief(&self, words: u32) -> bool {
        f64::from(words) <= self.brief
    }
}

impl Default for Weights {
    fn default() -> Self {
        Self::FITTED
    }
}
