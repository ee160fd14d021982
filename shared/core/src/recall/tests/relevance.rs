//! Tests of the estimates of relevance.

use super::{analyze, at, found, gather, hit, rank};
use crate::recall::stages::relevance::{NOTHING_BELOW, estimate};

/// The relevance of one memory, found by its words, for a query.
fn of(query: &str, content: &str) -> f64 {
    let query = analyze(query, &[], at(2026, 11, 20));
    let ranked = rank(&gather(vec![found(hit(1, 0.001, None))], vec![]), &query, at(2026, 11, 20));
    estimate(&[(&ranked[0], content)], &query, &[])[0]
}

#[test]
fn relevance_is_the_share_of_words_held_however_rare_they_are() {
    assert!(of("Where did I buy the green bicycle?", "I bought a green bicycle in Ghent") > 0.95);
    let half = of("green bicycle", "a green door");
    assert!((0.4..0.7).contains(&half), "{half}");
    assert!(of("green bicycle", "I prefer window seats") < NOTHING_BELOW);
}

#[test]
fn words_that_carry_no_topic_say_next_to_nothing() {
    assert!(of("the is my", "the tea is my favourite") < 0.3);
}

#[test]
fn what_others_of_the_session_speak_for_is_relevant_less_than_they_are() {
    let query = analyze("violin lessons", &[], at(2026, 11, 20));
    let mut asked = hit(1, 2.0, Some((1, 1)));
    asked.traits.asks = true;
    let all = gather(vec![found(asked)], vec![hit(2, 0.0, Some((1, 2)))]);
    let ranked = rank(&all, &query, at(2026, 11, 20));
    let texts = ranked.iter().map(|one| (one, if one.seq.0 == 1 { "do violin lessons help?" } else { "every day" }));
    let estimates = estimate(&texts.collect::<Vec<_>>(), &query, &[]);
    let of = |seq: i64| estimates[ranked.iter().position(|one| one.seq.0 == seq).expect("ranked")];
    assert!(of(1) > 0.95 && of(2) > NOTHING_BELOW && of(2) < of(1), "{estimates:?}");
}
