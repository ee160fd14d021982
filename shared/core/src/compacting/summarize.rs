//! Takes the sentences that carry most, as many as there is room for, none that says again what another one says.

use super::Spoken;
use super::sentence::{self, Sentence};
use super::weigh;

/// A summary is about a quarter of what it stands for, within these bytes.
const PART: usize = 4;
const FEWEST: usize = 300;
const MOST: usize = 1_600;
/// A sentence of whose topics one that was taken holds so many says it again.
const SAID: f64 = 0.6;
/// A sentence that carries less than this share of what the best one does is not worth its room.
const WORTH_IT: f64 = 1.0 / 3.0;

/// The bytes that a summary of something may have.
pub fn room(said: &[Spoken<'_>]) -> usize {
    (said.iter().map(|one| one.text.len()).sum::<usize>() / PART).clamp(FEWEST, MOST)
}

/// What was said in short: a line for each who spoke, in order, `who: sentences`, or the sentences alone of one without a name. Empty where nothing says anything.
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

/// The sentences that carry most, in their order: of those that `fits` takes, to which they are shown best first, none that says again
/// what another one says.
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
