//! The weight of a sentence, from its position, its names and numbers, phrases that signal importance, and how central
//! its topics are.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::Spoken;
use super::sentence::Sentence;
use crate::text::TextTraits;
use crate::text::words::{fold, words};

/// The share of each part in the weight.
const CENTRALITY: f64 = 0.35;
const ENTITIES: f64 = 0.25;
const CUES: f64 = 0.25;
const POSITION: f64 = 0.15;
/// Counts of names and numbers, and of cues, beyond which more add nothing.
const MOST_ENTITIES: usize = 3;
const MOST_CUES: usize = 2;
/// The factors for questions, and for words of others than the person.
const ASKED: f64 = 0.5;
const BY_OTHERS: f64 = 0.75;
/// The number of words below which a sentence counts less.
const FULL_WORDS: f64 = 6.0;

/// The cue phrases, as folded words.
static PHRASES: LazyLock<Vec<Vec<String>>> = LazyLock::new(|| {
    let lines = include_str!("cues.txt").lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    lines.map(|line| words(line).map(fold).collect()).collect()
});

/// Returns the weight of each sentence, from 0 to 1.
pub(super) fn of(said: &[Spoken<'_>], sentences: &[Sentence<'_>]) -> Vec<f64> {
    let spread = spread(sentences);
    let most = spread.values().copied().fold(1.0, f64::max);
    let weight = |sentence: &Sentence<'_>| {
        let folded: Vec<String> = words(sentence.text).map(fold).collect();
        let carried = CENTRALITY * centrality(sentence, &spread) / most
            + ENTITIES * share(entities(sentence.text), MOST_ENTITIES)
            + CUES * share(cues(&folded), MOST_CUES)
            + POSITION * position(sentence.position);
        let asked = if TextTraits::of(sentence.text).is_question { ASKED } else { 1.0 };
        let by = if said[sentence.turn].by_person { 1.0 } else { BY_OTHERS };
        carried * asked * by * (share_of(folded.len()) / FULL_WORDS).min(1.0)
    };
    sentences.iter().map(weight).collect()
}

/// Returns the number of turns in which each topic occurs.
fn spread<'s>(sentences: &'s [Sentence<'_>]) -> HashMap<&'s str, f64> {
    let mut turns: HashMap<&str, (usize, f64)> = HashMap::new();
    for sentence in sentences {
        for topic in &sentence.topics {
            let (last, count) = turns.entry(topic).or_insert((usize::MAX, 0.0));
            if *last != sentence.turn {
                (*last, *count) = (sentence.turn, *count + 1.0);
            }
        }
    }
    turns.into_iter().map(|(topic, (_, count))| (topic, count)).collect()
}

/// Returns the number of turns in which the topics of a sentence occur, on average.
fn centrality(sentence: &Sentence<'_>, spread: &HashMap<&str, f64>) -> f64 {
    let sum: f64 = sentence.topics.iter().filter_map(|topic| spread.get(topic.as_str())).sum();
    sum / share_of(sentence.topics.len().max(1))
}

/// Counts capitalized words after the first word, and numbers.
fn entities(text: &str) -> usize {
    let is_number = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit());
    let behind = words(text).skip(1).filter(|word| word.starts_with(char::is_uppercase) && *word != "I").count();
    behind + words(text).filter(is_number).count()
}

fn cues(folded: &[String]) -> usize {
    PHRASES.iter().filter(|phrase| folded.windows(phrase.len()).any(|window| window == phrase.as_slice())).count()
}

/// The first sentence of a speech is the most informative.
fn position(position: usize) -> f64 {
    1.0 / (1.0 + share_of(position))
}

fn share(count: usize, most: usize) -> f64 {
    share_of(count.min(most)) / share_of(most)
}

#[expect(clippy::cast_precision_loss, reason = "counts of words")]
fn share_of(count: usize) -> f64 {
    count as f64
}
