//! Selects the most important sentences, as many as fit, without repetitions.

use super::Spoken;
use super::sentence::{self, Sentence};
use super::weigh;

/// A summary has about a quarter of the bytes of its source, within these bounds.
const PART: usize = 4;
const FEWEST: usize = 300;
const MOST: usize = 1_600;
/// A sentence repeats another one that holds at least this share of its topics.
const SAID: f64 = 0.6;
/// A sentence is dropped if its weight is less than this share of the best one's.
const WORTH_IT: f64 = 1.0 / 3.0;

/// Returns the bytes that a summary of these texts may have.
pub fn room(said: &[Spoken<'_>]) -> usize {
    (said.iter().map(|one| one.text.len()).sum::<usize>() / PART).clamp(FEWEST, MOST)
}

/// Summarizes texts: a line `who: sentences` for each text that is quoted, in order, or only the sentences if its
/// speaker has no name. Empty if no text says anything.
pub fn summarize(said: &[Spoken<'_>], room: usize) -> String {
    let sentences = sentence::of(said);
    let (mut left, mut is_first) = (room, true);
    let taken = best(said, &sentences, |sentence| {
        let bytes = sentence.text.len() + said[sentence.turn].who.len() + ": \n".len();
        let fits = bytes <= left || is_first;
        if fits {
            (left, is_first) = (left.saturating_sub(bytes), false);
        }
        fits
    });
    written(said, taken.into_iter())
}

/// Returns the most important sentences, in their order, without repetitions. `fits` sees them best first, and decides
/// which are taken.
pub(super) fn best<'s, 't>(
    said: &[Spoken<'t>],
    sentences: &'s [Sentence<'t>],
    mut fits: impl FnMut(&Sentence<'t>) -> bool,
) -> Vec<&'s Sentence<'t>> {
    let weights = weigh::of(said, sentences);
    let mut order: Vec<usize> = (0..sentences.len()).collect();
    order.sort_by(|a, b| weights[*b].total_cmp(&weights[*a]).then(a.cmp(b)));
    let least = order.first().map_or(0.0, |best| weights[*best] * WORTH_IT);
    order.retain(|index| weights[*index] >= least);
    let mut taken: Vec<usize> = Vec::new();
    for index in order {
        let sentence = &sentences[index];
        let is_new = taken.iter().all(|other| !says_again(sentence, &sentences[*other]));
        if is_new && fits(sentence) {
            taken.push(index);
        }
    }
    taken.sort_unstable();
    taken.into_iter().map(|index| &sentences[index]).collect()
}

fn says_again(sentence: &Sentence<'_>, other: &Sentence<'_>) -> bool {
    let common = sentence.topics.intersection(&other.topics).count();
    sentence.text == other.text || (common > 0 && ratio(common, sentence.topics.len()) >= SAID)
}

fn written<'s>(said: &[Spoken<'_>], taken: impl Iterator<Item = &'s Sentence<'s>>) -> String {
    let (mut text, mut turn) = (String::new(), None);
    for sentence in taken {
        if turn == Some(sentence.turn) {
            text.push(' ');
        } else {
            let end = if text.is_empty() { "" } else { "\n" };
            let who = &*said[sentence.turn].who;
            text.extend([end, who, if who.is_empty() { "" } else { ": " }]);
            turn = Some(sentence.turn);
        }
        text.push_str(sentence.text);
    }
    text
}

#[expect(clippy::cast_precision_loss, reason = "counts of words")]
fn ratio(part: usize, whole: usize) -> f64 {
    part as f64 / whole.max(1) as f64
}
