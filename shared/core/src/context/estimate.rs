//! Estimates the tokens of a text without asking a model, rather too high than too low for English.
//!
//! A run of ASCII letters counts one token for every five letters begun, a run of digits one for every three begun. A
//! run of several spaces counts one, a single space none, and any other ASCII character one. A run of other characters
//! counts one for every two bytes begun. So the tokens of two concatenated texts are at most the sum of both. A client
//! that knows its model better states the tokens per byte.

/// Letters, digits and other bytes per token.
const LETTERS: usize = 5;
const DIGITS: usize = 3;
const OTHER_BYTES: usize = 2;

/// Estimates tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Estimator {
    /// By the rules above.
    #[default]
    Words,
    /// This many tokens per byte.
    PerByte(f64),
}

#[derive(Clone, Copy, PartialEq)]
enum Class {
    Letters,
    Digits,
    Spaces,
    Other,
}

impl Estimator {
    /// Returns the tokens of a text.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a text has far fewer bytes than 2^52, and none has less than 0 tokens"
    )]
    pub fn tokens(self, text: &str) -> usize {
        match self {
            Self::Words => by_words(text),
            Self::PerByte(factor) => libm::ceil(text.len() as f64 * factor) as usize,
        }
    }
}

fn by_words(text: &str) -> usize {
    let (mut sum, mut run) = (0, None);
    for c in text.chars() {
        let class = match c {
            'a'..='z' | 'A'..='Z' => Class::Letters,
            '0'..='9' => Class::Digits,
            ' ' => Class::Spaces,
            c if c.is_ascii() => {
                sum += 1 + ended(run.take());
                continue;
            }
            _ => Class::Other,
        };
        run = match run {
            Some((of, bytes)) if of == class => Some((of, bytes + c.len_utf8())),
            other => {
                sum += ended(other);
                Some((class, c.len_utf8()))
            }
        };
    }
    sum + ended(run)
}

/// Returns the tokens of a finished run.
fn ended(run: Option<(Class, usize)>) -> usize {
    match run {
        None => 0,
        Some((Class::Letters, bytes)) => bytes.div_ceil(LETTERS),
        Some((Class::Digits, bytes)) => bytes.div_ceil(DIGITS),
        Some((Class::Spaces, bytes)) => usize::from(bytes > 1),
        Some((Class::Other, bytes)) => bytes.div_ceil(OTHER_BYTES),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn words_count_by_their_length_and_signs_alone() {
        for (text, tokens) in [
            ("", 0),
            ("I like tea.", 4),
            ("understanding", 3),
            ("2026-05-04", 6),
            ("a  b\n", 4),
            ("| Ana: tea\n", 5),
            ("我住在上海", 8),
            ("чай", 3),
        ] {
            assert_eq!(Estimator::Words.tokens(text), tokens, "{text:?}");
        }
        assert_eq!(Estimator::PerByte(0.25).tokens("I like tea."), 3);
    }

    proptest! {
        #[test]
        fn two_texts_are_at_most_the_tokens_of_both(one in ".{0,40}", other in ".{0,40}", factor in 0.01..4.0_f64) {
            for by in [Estimator::Words, Estimator::PerByte(factor)] {
                let both = by.tokens(&[one.as_str(), &other].concat());
                prop_assert!(both <= by.tokens(&one) + by.tokens(&other) + 1);
            }
        }
    }
}
