//! A pattern of words: literal ones, classes, shapes, optional ones and gaps. Matching goes from left to right and gives up
//! after a bounded number of steps, so that no text makes it slow.

use super::Classes;
use crate::extraction::tokens::{Before, Token};

/// Most comparisons for one pattern at one place.
const MOST_STEPS: u32 = 256;

/// What a word may be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a word of the rules")]
pub(in crate::extraction) struct OneOf {
    pub words: Vec<u32>,
    pub classes: Classes,
    /// A word with a capital letter.
    pub capital: bool,
    /// A word with a capital letter that no list holds.
    pub name: bool,
    /// A number.
    pub number: bool,
    /// Any word.
    pub any: bool,
}

/// A step of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// A word.
    One(OneOf),
    /// A word or none.
    Maybe(OneOf),
    /// None of these comes next.
    Not(OneOf),
    /// Up to so many words within the clause.
    Gap(u8),
    /// A comma or a stronger mark, or the end.
    Pause,
    /// A word before which no such mark stands comes next.
    Joined,
    /// The end of the sentence.
    End,
}

/// A pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::extraction) struct Pattern {
    steps: Vec<Step>,
    /// Where it is looked for.
    pub(in crate::extraction) place: Place,
    /// What its first word may be; `None` if any.
    opens: Option<OneOf>,
}

/// Where a pattern is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::extraction) enum Place {
    /// At the start of clauses.
    Clause,
    /// At the start of the sentence.
    Sentence,
    /// At every word.
    Anywhere,
}

impl OneOf {
    /// Takes what another one may be, too.
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
    pub(super) fn new(steps: Vec<Step>, place: Place) -> Self {
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
        Self { steps, place, opens: Some(opens).filter(|opens| certain && !opens.any) }
    }

    /// The number of words that fit from `at` on.
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

/// Where a match of all steps ends that begins at `at`.
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
