//! Tests of misspelled words and their replacements.

use super::{analyze, at};
use crate::recall::FoundBy;
use crate::recall::analysis::Analysis;
use crate::recall::stages::typos::{
    Correction, confirmed, found_by, misspelled, nearest, unknown_terms, vocabulary_range, words_to_check,
};

fn read(text: &str) -> Analysis {
    analyze(text, &[], at(2026, 11, 20))
}

fn near(word: &str, vocabulary: &[(&str, u64)]) -> Vec<String> {
    let query = read(word);
    let vocabulary: Vec<(String, u64)> = vocabulary.iter().map(|(word, n)| ((*word).to_owned(), *n)).collect();
    nearest(&query.terms[0], &vocabulary)
}

#[test]
fn term_is_known_if_any_of_its_forms_is() {
    let query = read("bought restuarant");
    assert_eq!(words_to_check(&query), ["bought", "buy", "restuarant"]);
    let unknown = unknown_terms(&query, &[false, true, false]);
    assert_eq!(unknown.len(), 1);
    assert_eq!(unknown[0].raw, "restuarant");
    assert!(unknown_terms(&query, &[true, false, true]).is_empty());
}

#[test]
fn likeliest_mistakes_come_first_then_what_most_memories_hold() {
    assert_eq!(near("restuarant", &[("restaur", 4), ("restart", 9)]), ["restaur"]);
    assert_eq!(near("planing", &[("planet", 7), ("plant", 2), ("plan", 1), ("plane", 3)])[..2], ["plan", "plane"]);
    assert!(near("guitar", &[("gutter", 5), ("tar", 9)]).is_empty());
}

#[test]
fn short_words_numbers_and_unparted_words_are_not_corrected() {
    let query = read("cat 4711 e4711x 東京タワー guitr");
    let unknown: Vec<_> = query.terms.iter().collect();
    let words: Vec<&str> = misspelled(&unknown).into_iter().map(|term| term.raw.as_str()).collect();
    assert_eq!(words, ["guitr"]);
}

#[test]
fn vocabulary_is_asked_for_by_first_letters_and_lengths() {
    let query = read("aardvark");
    let range = vocabulary_range(&query.terms[0]);
    assert_eq!(range.first_letters, ['a']);
    assert_eq!(range.lengths, (3, 10));
}

#[test]
fn words_behind_near_stems_are_confirmed() {
    let query = read("guitr planing");
    let contents = ["Two GUITARS and my guitar", "the guitar, a planet and a plan", "planning plans"];
    assert_eq!(confirmed(&query.terms[0], &contents), ["guitar"], "one form of each word");
    assert_eq!(confirmed(&query.terms[1], &contents), ["planning"]);
    assert!(confirmed(&query.terms[0], &["guild"]).is_empty());
}

#[test]
fn explanation_tells_typos_from_terms() {
    let query = read("green guitr");
    let corrections = [Correction { word: "guitr".to_owned(), replacements: vec!["guitar".to_owned()] }];
    let by = |content: &str| found_by(FoundBy::TERM, content, &query, &corrections).names();
    assert_eq!(by("two guitars"), ["typo"]);
    assert_eq!(by("a green one"), ["term"]);
    assert_eq!(by("green guitar"), ["term", "typo"]);
    assert_eq!(found_by(FoundBy::NEIGHBOUR, "guitar", &query, &corrections).names(), ["neighbour"]);
}
