//! The best passages of a long memory: what to read first.
//!
//! Computed from the texts of the results alone, in time linear in their length. A passage is a run of sentences. The
//! best one holds most of the query's words, where a word counts more if fewer sentences of the text hold it.

mod needles;

use std::ops::Range;

pub use needles::Needles;

use crate::text::sentences;

/// Most passages of one memory.
pub const MOST: usize = 3;
/// Length of the longest passage, in bytes.
const LONGEST: usize = 240;
/// A text of at most this many bytes is a passage itself.
const LONG: usize = 400;
/// Bytes of a text that are read.
const READ: usize = 64 * 1024;
/// Most sentences of a passage.
const SENTENCES: usize = 4;
/// The least value of a further passage, as a share of the best one's.
const LEAST: f64 = 0.5;
/// The share of its value that a word keeps once a better passage shows it.
const SHOWN: f64 = 0.5;

/// A sentence, with the bits of the needles that it holds.
struct Sentence {
    range: Range<usize>,
    needles: u64,
}

/// Returns passages as byte ranges of the content, at character boundaries, the best first. None for a text no longer
/// than a passage, or without anything of the query.
pub fn of(content: &str, needles: &Needles<'_>) -> Vec<Range<usize>> {
    let text = &content[..content.floor_char_boundary(READ)];
    if text.len() <= LONG || needles.is_empty() {
        return Vec::new();
    }
    let ranges = sentences::of(text, LONGEST);
    let marked = |held_by: &dyn Fn(&str) -> u64| -> Vec<Sentence> {
        ranges.iter().map(|range| Sentence { range: range.clone(), needles: held_by(&text[range.clone()]) }).collect()
    };
    let mut all = marked(&|sentence| needles.held_by(sentence));
    if all.iter().all(|one| one.needles == 0) {
        all = marked(&|sentence| needles.within(sentence));
    }
    best(text, &all)
}

fn best(text: &str, all: &[Sentence]) -> Vec<Range<usize>> {
    let mut worth = rarities(all);
    let mut taken = vec![false; all.len()];
    let (mut passages, mut least) = (Vec::new(), 0.0);
    while passages.len() < MOST {
        let Some((value, run)) = next(all, &taken, &worth).filter(|(value, _)| *value >= least) else { break };
        if passages.is_empty() {
            least = value * LEAST;
        }
        for bit in bits(all[run.clone()].iter().fold(0, |needles, one| needles | one.needles)) {
            worth[bit].1 = SHOWN;
        }
        let run = widened(text, all, &taken, run);
        taken[run.clone()].fill(true);
        passages.push(span(&all[run]));
    }
    passages
}

/// Returns for each needle its rarity (1 if one sentence holds it, .18 if a hundred do) and the share of it that counts.
fn rarities(all: &[Sentence]) -> [(f64, f64); needles::MAX] {
    let mut holders = [0_u32; needles::MAX];
    for one in all {
        bits(one.needles).for_each(|bit| holders[bit] += 1);
    }
    holders.map(|count| (1.0 / (1.0 + libm::log(f64::from(count.max(1)))), 1.0))
}

fn bits(needles: u64) -> impl Iterator<Item = usize> {
    (0..needles::MAX).filter(move |bit| needles >> bit & 1 == 1)
}

/// Returns the value and range of the best remaining run of sentences. Ties go to the shorter one, then to the first.
fn next(all: &[Sentence], taken: &[bool], worth: &[(f64, f64)]) -> Option<(f64, Range<usize>)> {
    let mut best: Option<(f64, Range<usize>)> = None;
    for first in (0..all.len()).filter(|index| all[*index].needles != 0) {
        let mut needles = 0;
        for end in first + 1..=(first + SENTENCES).min(all.len()) {
            let run = first..end;
            if taken[end - 1] || span(&all[run.clone()]).len() > LONGEST {
                break;
            }
            needles |= all[end - 1].needles;
            let value: f64 = bits(needles).map(|bit| worth[bit].0 * worth[bit].1).sum();
            let is_better = best
                .as_ref()
                .is_none_or(|(most, other)| value > most + 1e-9 || (value > most - 1e-9 && run.len() < other.len()));
            if is_better {
                best = Some((value, run));
            }
        }
    }
    best
}

/// Extends a run by the sentences around it in its line, as far as they fit, because a sentence reads better in
/// context.
fn widened(text: &str, all: &[Sentence], taken: &[bool], mut run: Range<usize>) -> Range<usize> {
    let fits = |run: &Range<usize>| {
        let span = span(&all[run.clone()]);
        span.len() <= LONGEST && !text[span].contains('\n') && !taken[run.clone()].contains(&true)
    };
    while run.end < all.len() && fits(&(run.start..run.end + 1)) {
        run.end += 1;
    }
    while run.start > 0 && fits(&(run.start - 1..run.end)) {
        run.start -= 1;
    }
    run
}

fn span(run: &[Sentence]) -> Range<usize> {
    let start = run.first().map_or(0, |first| first.range.start);
    start..run.last().map_or(start, |last| last.range.end)
}
