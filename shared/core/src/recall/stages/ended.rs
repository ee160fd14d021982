//! Lets turns that ended give way: what a person superseded, corrected or took back ranks behind what holds instead.

use std::ops::Range;

use super::explain::Ranked;
use super::highlights::Needles;
use super::weigh::final_score;
use crate::recall::Weights;

/// Share of a text, by bytes, from which its ended spans stand for all of it.
const MOST: f64 = 0.6;

/// Lowers the score of a turn that ended.
pub fn lower(one: &mut Ranked, weights: &Weights) {
    one.parts.ended_factor = weights.ended;
    one.score = final_score(&one.parts);
}

/// Reports whether a text matches the query mostly through spans that ended, so that it is found for those. Ranges of
/// `ended` that are not in the text do not count.
pub fn matches_through(content: &str, ended: &[Range<usize>], needles: &Needles<'_>) -> bool {
    let mut rest = content.to_owned();
    let mut bytes = 0;
    for span in ended.iter().filter(|span| content.get((*span).clone()).is_some()) {
        bytes += span.len();
        rest.replace_range(span.clone(), &" ".repeat(span.len()));
    }
    let (held, left) = (needles.count(content), needles.count(&rest));
    if held == 0 { share(bytes, content.len()) >= MOST } else { left * 2 <= held && left < held }
}

/// Returns those of the items whose spans hold something of the query; all of them if none does, as for a text that is
/// found by its meaning.
pub fn matched<T: Copy>(content: &str, spans: Vec<(T, Range<usize>)>, needles: &Needles<'_>) -> Vec<T> {
    let holds = |span: &Range<usize>| content.get(span.clone()).is_some_and(|text| needles.count(text) > 0);
    let matched: Vec<T> = spans.iter().filter(|(_, span)| holds(span)).map(|(one, _)| *one).collect();
    if matched.is_empty() { spans.into_iter().map(|(one, _)| one).collect() } else { matched }
}

/// Moves each item behind the last of those that replace it, in the order given. `replaces` says whether its first
/// argument replaces the second.
pub fn behind<T>(items: &mut [T], replaces: impl Fn(&T, &T) -> bool) {
    for at in (0..items.len()).rev() {
        let last = (at + 1..items.len()).rev().find(|later| replaces(&items[*later], &items[at]));
        if let Some(last) = last {
            items[at..=last].rotate_left(1);
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "lengths of texts")]
fn share(part: usize, whole: usize) -> f64 {
    part as f64 / whole.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recall::Plan;
    use crate::recall::analysis::analyze;
    use crate::time::Timestamp;

    fn through(query: &str, content: &str, ended: &str) -> bool {
        let analysis = analyze(query, &[], Timestamp(0), &Plan::default());
        let start = content.find(ended).unwrap();
        let ended = start..start + ended.len();
        matches_through(content, std::slice::from_ref(&ended), &Needles::of(query, &analysis, &[]))
    }

    #[test]
    fn a_turn_is_found_for_what_ended_or_for_the_rest() {
        let turn = "I live in Oslo and I have two cats.";
        assert!(through("Where do I live?", turn, "I live in Oslo"));
        assert!(!through("How many cats do I have?", turn, "I live in Oslo"));
        assert!(!through("Do cats live in Oslo?", turn, "I have two cats"), "most of what was asked stands elsewhere");
        assert!(through("my address", "I live in Oslo.", "I live in Oslo."), "found by its meaning");
        assert!(!through("my address", "I live in Oslo. It rains, and the tram is late.", "I live in Oslo."));
        let analysis = analyze("x", &[], Timestamp(0), &Plan::default());
        let beyond = 2..90;
        assert!(!matches_through("short", std::slice::from_ref(&beyond), &Needles::of("x", &analysis, &[])));
    }

    #[test]
    fn a_turn_is_found_for_the_spans_that_hold_what_was_asked_or_for_all() {
        let turn = "I live in Oslo and I have two cats.";
        let of = |query: &str| {
            let analysis = analyze(query, &[], Timestamp(0), &Plan::default());
            matched(turn, vec![("home", 0..14), ("cats", 19..34)], &Needles::of(query, &analysis, &[]))
        };
        assert_eq!(of("Where do I live?"), ["home"]);
        assert_eq!(of("How many cats do I have?"), ["cats"]);
        assert_eq!(of("pets"), ["home", "cats"]);
    }

    #[test]
    fn what_replaces_comes_first() {
        let mut items = [1, 30, 2, 3, 20];
        behind(&mut items, |later, earlier| *later == earlier * 10);
        assert_eq!(items, [1, 30, 3, 20, 2]);
    }
}
