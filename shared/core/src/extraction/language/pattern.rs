//! A pattern of words: literals, classes, shapes, optional words and gaps. Matches from left to right and stops after
//! a bounded number of steps, so that no text makes it slow.

use super::Classes;
use crate::extraction::tokens::{Before, Token};

/// Most comparisons for one pattern at one position.
const MOST_STEPS: u32 = 256;

/// Alternatives for one word.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a word of the patterns")]
pub(in crate::extraction) struct OneOf {
    pub words: Vec<u32>,
    pub classes: Classes,
    /// A word with a capital letter.
    pub capital: bool,
    /// A capitalized word that is in no list.
    pub name: bool,
    /// A number.
    pub number: bool,
    /// Any word.
    pub any: bool,
}

/// A step of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// One word.
    One(OneOf),
    /// An optional word.
    Maybe(OneOf),
    /// The next word is none of these.
    Not(OneOf),
    /// Up to this many words within the clause.
    Gap(u8),
    /// A comma or stronger mark, or the end.
    Pause,
    /// The next word is not preceded by such a mark.
    Joined,
    /// The end of the sentence.
    End,
}

/// A pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::extraction) struct Pattern {
    steps: Vec<Step>,
    /// Where the pattern may match.
    pub(in crate::extraction) match_start: MatchStart,
    /// Alternatives for its first word; `None` if any.
    opens: Option<OneOf>,
}

/// Where a pattern may match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::extraction) enum MatchStart {
    /// At the start of clauses.
    Clause,
    /// At the start of the sentence.
    Sentence,
    /// At every word.
    Anywhere,
}

impl OneOf {
    /// Adds another's alternatives.
    fn join(&mut self, other: &Self) {
        self.words.extend(&other.words);
        self.classes |= other.classes;
        self.capital |= other.capital;
        self.name |= other.name;
        self.number |= other.number;
        self.any |= other.any;
    }

    fn fits(&self, token: &Token) -> bool {
        self.any
            || token.classes & self.classes != 0
            || (self.capital && token.capital)
            || (self.name && token.is_name())
            || (self.number && token.number)
            || (token.word != 0 && self.words.contains(&token.word))
    }
}

impl Pattern {
    pub(super) fn new(steps: Vec<Step>, match_start: MatchStart) -> Self {
        let mut opens = OneOf::default();
        let mut certain = false;
        for step in &steps {
            match step {
                Step::One(one) | Step::Maybe(one) => opens.join(one),
                Step::Not(_) => continue,
                Step::Gap(_) | Step::Pause | Step::Joined | Step::End => break,
            }
            certain = matches!(step, Step::One(_));
            if certain {
                break;
            }
        }
        Self { steps, match_start, opens: Some(opens).filter(|opens| certain && !opens.any) }
    }

    /// The number of words that match from `at` on.
    pub(in crate::extraction) fn fits(&self, tokens: &[Token], at: usize) -> Option<usize> {
        if let (Some(opens), Some(token)) = (&self.opens, tokens.get(at))
            && !opens.fits(token)
        {
            return None;
        }
        let mut left = MOST_STEPS;
        fit(&self.steps, tokens, at, &mut left).map(|end| end - at)
    }
}

/// The end of a match of all steps that begins at `at`.
fn fit(steps: &[Step], tokens: &[Token], at: usize, left: &mut u32) -> Option<usize> {
    *left = left.checked_sub(1)?;
    let Some((step, rest)) = steps.split_first() else { return Some(at) };
    let next = tokens.get(at);
    match step {
        Step::One(one) => next.filter(|token| one.fits(token)).and_then(|_| fit(rest, tokens, at + 1, left)),
        Step::Maybe(one) => {
            let taken = next.filter(|token| one.fits(token)).and_then(|_| fit(rest, tokens, at + 1, left));
            taken.or_else(|| fit(rest, tokens, at, left))
        }
        Step::Not(one) if next.is_some_and(|token| one.fits(token)) => None,
        Step::Not(_) => fit(rest, tokens, at, left),
        Step::Gap(most) => {
            for skipped in 0..=usize::from(*most) {
                if let Some(end) = fit(rest, tokens, at + skipped, left) {
                    return Some(end);
                }
                if tokens.get(at + skipped).is_none_or(|token| skipped > 0 && token.before >= Before::Pause) {
                    return None;
                }
            }
            None
        }
        Step::Pause if next.is_none_or(|token| token.before >= Before::Pause) => fit(rest, tokens, at, left),
        Step::Joined if next.is_some_and(|token| token.before < Before::Pause) => fit(rest, tokens, at, left),
        Step::End if next.is_none() => fit(rest, tokens, at, left),
        Step::Pause | Step::Joined | Step::End => None,
    }
}
