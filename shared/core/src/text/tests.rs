//! Tests of words and traits.

use super::TextTraits;
use super::lists::{irregular_forms, is_stop_word, is_talk_word, is_time_word};
use super::words::{count, fold, is_unparted, stem, without_note, words};

fn folded(text: &str) -> Vec<String> {
    words(text).map(fold).collect()
}

#[test]
fn words_are_runs_of_letters_and_digits_without_marks_in_lower_case() {
    assert_eq!(folded("Anna's café—don't_stop 3D!"), ["anna", "s", "cafe", "don", "t", "stop", "3d"]);
    assert_eq!(folded("Cafe\u{301} ÅNGSTRÖM"), ["cafe", "angstrom"]);
    assert_eq!(folded("हिन्दी भाषा").len(), 2, "dependent vowels do not end a word");
}

#[test]
fn emoji_and_punctuation_are_no_words() {
    assert_eq!(folded("🎂 ❤\u{FE0F} ?! \u{301} _ \0").len(), 0);
    assert_eq!(count(""), 0);
}

#[test]
fn words_without_gaps_count_by_their_length() {
    assert_eq!(count("東京タワーに行った"), 5);
    assert_eq!(count("two words"), 2);
    assert!(is_unparted("東京") && is_unparted("กรุงเทพ") && !is_unparted("서울") && !is_unparted("naïve"));
}

#[test]
fn stems_join_regular_forms_and_leave_other_scripts_alone() {
    assert_eq!(stem("hiking"), stem("hikes"));
    assert_eq!(stem("книги"), "книги");
}

#[test]
fn lists_hold_what_they_say() {
    assert!(is_stop_word("the") && is_stop_word("ll") && !is_stop_word("paint") && !is_stop_word("#"));
    assert!(is_time_word("yesterday") && is_time_word("1999") && !is_time_word("2100") && !is_time_word("19a9"));
    assert!(is_talk_word("mentioned") && !is_talk_word("paint"));
    assert_eq!(irregular_forms("bought"), ["buy"]);
    assert_eq!(irregular_forms("lay"), ["laid", "lie", "lain"], "forms of every line that holds the word");
    assert!(irregular_forms("table").is_empty());
}

#[test]
fn traits_tell_questions_times_and_length() {
    let rules = TextTraits::RULES;
    let asked = TextTraits::of("Did you swim yesterday? ");
    assert_eq!(asked, TextTraits { asks: true, is_question: true, names_time: true, directs: false, words: 4, rules });
    let told = TextTraits::of("Did I? Yes, with my father.");
    assert_eq!(told, TextTraits { asks: true, is_question: false, names_time: false, directs: false, words: 6, rules });
    let wished = TextTraits::of("Always book the window seat.");
    assert!(wished.directs && TextTraits::from_bits(wished.bits(), wished.words) == wished);
    assert_eq!(TextTraits::from_bits(asked.bits(), asked.words), asked);
}

#[test]
fn a_note_at_the_end_is_not_said() {
    let traits = TextTraits::of("Do you like it? [a photo of yesterday's cake]");
    assert!(traits.is_question && !traits.names_time);
    assert_eq!(traits.words, 10);
    assert_eq!(without_note("[only a note]"), "[only a note]");
    assert_eq!(without_note("odd ] one [x]"), "odd ] one");
}
