//! Tests of the parts of a result's score.

use super::{analyze, at, hit};
use crate::recall::stages::parts;

fn parts_of(text: &str, unknown: &[&str]) -> Vec<String> {
    let query = analyze(text, &[], at(2026, 11, 20));
    let unknown: Vec<_> = query.terms.iter().filter(|term| unknown.contains(&term.raw.as_str())).collect();
    parts::of(&query, &unknown)
}

#[test]
fn unknown_words_are_looked_for_as_parts() {
    assert_eq!(parts_of("where are Sonnen and blumen, ab", &["Sonnen", "ab"]), ["sonnen"]);
    assert!(parts_of("where are Sonnen", &[]).is_empty());
    assert_eq!(parts_of("eat A4Q сад", &["eat", "A4Q", "сад"]), ["a4q", "сад"], "a few letters are in any text");
}

#[test]
fn unparted_words_are_looked_for_by_pairs_even_if_known() {
    assert_eq!(parts_of("東京タワーへ", &[]), ["東京", "京タ", "タワ", "ワー", "ーへ"]);
    assert_eq!(parts_of("iPhoneを買う", &[]), ["iPhone", "を買", "買う"]);
    assert_eq!(parts_of(&"漢字仮名交文".repeat(300), &[]).len(), 6, "each pair once");
}

#[test]
fn punctuation_stays_in_the_parts() {
    assert_eq!(parts_of("か\u{3099}く", &[]), ["がく"], "composed, as people write");
}

#[test]
fn rare_parts_are_stronger_and_none_is_stronger_than_the_best_word() {
    let held = vec![vec![hit(1, 0.0, None)], (1..60).map(|seq| hit(seq, 0.0, None)).collect()];
    let found = parts::found(held, 4.0);
    let strength = |index: usize| found[index].strength;
    assert!(strength(0) > 3.0 * strength(1));
    assert!(strength(0) + strength(1) <= 4.0 + 1e-9);
    assert!(parts::found(vec![vec![], vec![]], 0.0).is_empty());
}
