//! Drops near-duplicates of a better result, so that repeated content appears once in an answer.
//!
//! On three styles of conversation it neither loses nor gains evidence. Off by default, because equal texts may have
//! different tags, times or tiers.
//!
//! Texts are near-duplicates if at least nine tenths of their words are the same and their numbers and negations do not
//! differ: "two eggs" and "three eggs" state different things, however alike they are.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use crate::text::words::{fold, words};

/// The least share of the words of two texts that both must hold.
const SAME: f64 = 0.9;
/// Most distinct words of a text that are compared. Of longer texts, those with the smallest hashes count, which are
/// the same for equal texts.
const MAX_WORDS: usize = 256;
/// Words that turn a sentence into its opposite, including the piece after an apostrophe.
const NEGATIONS: [&str; 8] = ["no", "not", "never", "none", "nobody", "without", "cannot", "t"];

/// The distinct words of a text by their hashes, sorted.
struct Words {
    all: Vec<u64>,
    /// Words that must be the same: numbers and negations.
    telling: Vec<u64>,
}

/// For each text, the best first, returns whether it is kept, because it is no near-duplicate of an earlier kept one.
pub fn retained(texts: &[&str]) -> Vec<bool> {
    let read: Vec<Words> = texts.iter().map(|text| Words::of(text)).collect();
    let mut retained: Vec<bool> = Vec::with_capacity(read.len());
    for (index, one) in read.iter().enumerate() {
        let is_known = read[..index].iter().zip(&retained).any(|(better, retained)| *retained && one.is_near(better));
        retained.push(!is_known);
    }
    retained
}

impl Words {
    fn of(text: &str) -> Self {
        let (mut all, mut telling) = (Vec::new(), Vec::new());
        for word in words(text).map(fold) {
            let hash = hash(&word);
            all.push(hash);
            if NEGATIONS.contains(&word.as_str()) || word.contains(char::is_numeric) {
                telling.push(hash);
            }
        }
        if all.is_empty() {
            all.push(hash(text.trim()));
        }
        Self { all: least(all), telling: least(telling) }
    }

    fn is_near(&self, other: &Self) -> bool {
        let (few, many) = (self.all.len().min(other.all.len()), self.all.len().max(other.all.len()));
        let may_be = share(few, many) >= SAME && self.telling == other.telling;
        may_be && {
            let both = self.all.iter().filter(|word| other.all.binary_search(word).is_ok()).count();
            share(both, few + many - both) >= SAME
        }
    }
}

fn hash(word: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    word.hash(&mut hasher);
    hasher.finish()
}

fn least(mut hashes: Vec<u64>) -> Vec<u64> {
    hashes.sort_unstable();
    hashes.dedup();
    hashes.truncate(MAX_WORDS);
    hashes
}

#[expect(clippy::cast_precision_loss, reason = "at most twice MAX_WORDS")]
fn share(part: usize, whole: usize) -> f64 {
    part as f64 / whole as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: &str =
        "Every Tuesday evening Ann takes the late train to Ghent and plays the violin with her old friends there";

    #[test]
    fn what_says_the_same_again_gives_way_to_the_better() {
        let again = LONG.to_uppercase().replace(' ', ", ");
        let nearly = LONG.replace("late ", "");
        assert_eq!(retained(&[LONG, "Bob paints", &again, &nearly, "bob  paints!"]), [true, true, false, false, false]);
    }

    #[test]
    fn what_differs_in_a_number_a_negation_or_more_than_a_tenth_stays() {
        for (one, other) in [
            ("Plays the violin", "Plays the piano"),
            (&format!("{LONG} at 7"), &format!("{LONG} at 8")),
            (LONG, &LONG.replace("takes", "never takes")),
            ("🎉", "🎂"),
        ] {
            assert_eq!(retained(&[one, other]), [true, true], "{one}");
        }
        assert_eq!(retained(&["🎉", " 🎉"]), [true, false]);
    }

    #[test]
    fn long_texts_are_compared_by_a_part_of_their_words() {
        let words: Vec<String> = (0..5_000).map(|n| format!("word{}", "x".repeat(n % 70))).collect();
        let text = words.join(" ");
        assert_eq!(retained(&[&text, &text]), [true, false]);
    }
}
