//! Tests of the passages of a long memory.

use super::{analyze, at};
use crate::recall::Correction;
use crate::recall::stages::highlights::{MOST, Needles, of};

/// The passages of a text for a query.
fn passages<'t>(query: &str, text: &'t str) -> Vec<&'t str> {
    let analysis = analyze(query, &[], at(2026, 11, 20));
    of(text, &Needles::of(query, &analysis, &[])).into_iter().map(|range| &text[range]).collect()
}

/// A text with a sentence among this many others.
fn amid(sentence: &str, others: usize) -> String {
    let around = "The weather was mild and the trains were late.\n".repeat(others);
    format!("{around}{sentence}\n{around}")
}

#[test]
fn best_passage_holds_the_words_of_the_query_in_any_form() {
    let text = amid("She ran her first marathon in Ghent. It took four hours.", 20);
    assert_eq!(passages("running marathons", &text), ["She ran her first marathon in Ghent. It took four hours."]);
    let text = amid("Everybody is lying about the violins.", 20);
    assert_eq!(passages("Who lied about a violin?", &text), ["Everybody is lying about the violins."]);
}

#[test]
fn short_texts_and_those_without_a_word_of_the_query_have_none() {
    assert_eq!(passages("tea", "I drink tea."), Vec::<&str>::new());
    assert_eq!(passages("submarine", &amid("I drink tea.", 20)), Vec::<&str>::new());
    assert_eq!(passages("the is my", &amid("I drink tea.", 20)), Vec::<&str>::new());
}

#[test]
fn rare_words_lead_and_at_most_three_passages_of_half_the_worth_follow() {
    let text = format!("{}{}", amid("The trains to Ghent were late.", 9), amid("Ghent again.\n\nOnce more Ghent.", 9));
    let found = passages("late trains to Ghent", &text);
    assert_eq!(found[0], "The trains to Ghent were late.");
    assert!(found.len() <= MOST, "{found:?}");
    let many = "Ghent is far from here, I think, and so is Bruges.\n".repeat(40);
    assert_eq!(passages("Ghent", &many).len(), MOST);
}

#[test]
fn words_in_scripts_without_gaps_emoji_and_parts_of_words_are_found() {
    let chinese =
        format!("{}我最喜欢的小提琴老师住在上海。{}", "今天天气很好。".repeat(40), "火车又晚点了。".repeat(40));
    assert!(passages("小提琴", &chinese)[0].contains("小提琴老师"));
    let party = amid("We met at the lake 🎉 and sang.", 20);
    assert_eq!(passages("🎉", &party), ["We met at the lake 🎉 and sang."]);
    assert_eq!(passages("\"🎉\"", &party), ["We met at the lake 🎉 and sang."]);
    assert_eq!(passages("violin", &amid("My minivioline broke.", 20)), ["My minivioline broke."]);
}

#[test]
fn what_was_searched_instead_of_a_misspelled_word_counts() {
    let text = amid("The violin is in the attic.", 20);
    let analysis = analyze("voilin", &[], at(2026, 11, 20));
    let corrections = [Correction { word: "voilin".to_owned(), replacements: vec!["violin".to_owned()] }];
    let found = of(&text, &Needles::of("voilin", &analysis, &corrections));
    assert_eq!(&text[found[0].clone()], "The violin is in the attic.");
}

#[test]
fn any_text_has_passages_between_characters_that_do_not_overlap() {
    let pieces = ["Ghent", " ", "\n", "。", "é", "😀", ".", "violin ", "小提琴", "\u{301}", "x"];
    let mut state = 7_u32;
    for length in [0, 1, 50, 400, 3_000] {
        let text: String = (0..length)
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                pieces[(state >> 16) as usize % pieces.len()]
            })
            .collect();
        let analysis = analyze("violin in Ghent 小提琴", &[], at(2026, 11, 20));
        let mut found = of(&text, &Needles::of("", &analysis, &[]));
        assert!(
            found.len() <= MOST && found.iter().all(|one| text.get(one.clone()).is_some_and(|one| !one.is_empty()))
        );
        found.sort_by_key(|one| one.start);
        assert!(found.windows(2).all(|two| two[0].end <= two[1].start), "{found:?}");
    }
}
