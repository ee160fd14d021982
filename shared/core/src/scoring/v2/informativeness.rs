//! Informativeness: how much a text says for its length, in [0, 1]; the prior of `predictive_value` where no outcome is known.
//!
//! `(t/(t + 2) + 0.5*s/(s + 10)) / 1.5 * 60/(60 + max(0, w - 60))`, rounded to hundredths, with
//! - `t` the number of telling words: the first person, names (a capital inside a sentence) and numbers,
//! - `s` the number of words in sentences that are no questions,
//! - `w` the number of all words: a long text has to say more for its size. Of contents above 8 KiB only a sample is read.
//!
//! Found on the development parts of conversations with marked evidence, where the result hardly depends on the constants:
//! `tests/bench/run squeeze` measures what is left of the evidence. German nouns count as names, so that
//! German texts compare with each other.

use super::number;
use super::sample::sample;
use crate::text::sentences;
use crate::text::words::{count_in, fold, words};

/// Telling words at which their part is half of what it can be.
const TELLING_HALF: f64 = 2.0;
/// Words of statements at which their part is half of what it can be.
const STATED_HALF: f64 = 10.0;
/// The weight of statements, beside 1 of telling words.
const STATED: f64 = 0.5;
/// Words beyond which a text counts less the longer it is.
const SHORT: f64 = 60.0;
/// The longest sentence, in bytes.
const LONGEST: usize = 2_048;
/// The first person in English and German, folded.
const FIRST_PERSON: [&str; 26] = [
    "i", "me", "my", "mine", "myself", "we", "us", "our", "ours", "ich", "mich", "mir", "mein", "meine", "meinen",
    "meiner", "meinem", "meines", "wir", "uns", "unser", "unsere", "unseren", "unserer", "unserem", "unseres",
];
/// The marks that end a question.
const QUESTION_MARKS: [char; 3] = ['?', '？', '؟'];

/// Returns the informativeness of a content, in [0, 1].
pub(super) fn of(content: &str) -> f64 {
    let (mut all, mut stated, mut telling) = (0, 0, 0);
    for stretch in sample(content) {
        for sentence in sentences::of(stretch, LONGEST).into_iter().filter_map(|range| stretch.get(range)) {
            let is_mark = |c: char| QUESTION_MARKS.contains(&c);
            let is_question =
                sentence.trim_end_matches(|c: char| !c.is_alphanumeric() && !is_mark(c)).ends_with(is_mark);
            for (index, word) in words(sentence).enumerate() {
                // A run of a script that does not part words counts as several.
                let length = count_in(word) as u64;
                all += length;
                stated += if is_question { 0 } else { length };
                telling += u64::from(is_telling(word, index == 0));
            }
        }
    }
    let part = |count: u64, half: f64| number(count) / (number(count) + half);
    let says = (part(telling, TELLING_HALF) + STATED * part(stated, STATED_HALF)) / (1.0 + STATED);
    let value = says * SHORT / number(all).max(SHORT);
    libm::round(value * 100.0) / 100.0
}

fn is_telling(word: &str, is_first: bool) -> bool {
    let begins = word.chars().next();
    let is_number = begins.is_some_and(char::is_numeric);
    let is_name = !is_first && word.chars().nth(1).is_some() && begins.is_some_and(char::is_uppercase);
    is_number || is_name || is_first_person(word)
}

fn is_first_person(word: &str) -> bool {
    if word.is_ascii() {
        return FIRST_PERSON.iter().any(|first| first.eq_ignore_ascii_case(word));
    }
    FIRST_PERSON.contains(&fold(word).as_str())
}
