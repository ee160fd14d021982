//! Tests how a query is parsed: its words, phrases, names and times.

use super::{analyze, at};
use crate::memory::MemoryFilter;
use crate::recall::MAX_TERMS;
use crate::recall::analysis::Analysis;

fn read(text: &str) -> Analysis {
    let speakers = [(1, "Caroline".to_owned()), (2, "Melanie Smith".to_owned()), (3, "Melanie Jones".to_owned())];
    analyze(text, &speakers, at(2026, 11, 20))
}

fn terms(analysis: &Analysis) -> Vec<&str> {
    analysis.terms.iter().map(|term| term.folded.as_str()).collect()
}

fn expression(text: &str) -> (Vec<String>, Vec<String>) {
    let query = read(text).lexical_query(std::iter::empty(), &MemoryFilter::default(), true);
    let joined = |terms: Vec<crate::ports::LexicalTerm>| terms.iter().map(|term| term.words.join(" ")).collect();
    (joined(query.any), joined(query.all))
}

#[test]
fn stop_words_and_names_are_not_searched() {
    let analysis = read("What did Caroline paint, and what colours did she use to paint?");
    assert_eq!(terms(&analysis), ["paint", "colours", "use"]);
    assert_eq!(analysis.who, [1]);
}

#[test]
fn query_of_stop_words_or_names_alone_is_searched_as_it_is() {
    assert_eq!(terms(&read("Who am I?")), ["who", "am", "i"]);
    assert_eq!(terms(&read("Caroline")), ["caroline"]);
}

#[test]
fn name_in_a_query_with_capitals_needs_one() {
    let speakers = [(1, "Will".to_owned())];
    assert!(analyze("Where will Anna go?", &speakers, at(2026, 1, 1)).who.is_empty());
    assert_eq!(analyze("What does Will like?", &speakers, at(2026, 1, 1)).who, [1]);
    assert!(analyze("where will anna go", &speakers, at(2026, 1, 1)).who.is_empty(), "a stop word is no name");
}

#[test]
fn two_people_or_a_shared_first_name_mean_no_speaker() {
    assert!(read("Did Caroline and Melanie swim?").who.is_empty());
    assert!(read("Did Melanie swim?").who.is_empty());
    assert_eq!(read("Did Melanie Jones swim?").who, [3]);
}

#[test]
fn one_name_under_several_numbers_means_all_of_them() {
    let speakers = [(1, "Ann".to_owned()), (2, "ann".to_owned()), (3, "Ann Lee".to_owned())];
    assert_eq!(analyze("What does Ann like?", &speakers, at(2026, 1, 1)).who, [1, 2]);
}

#[test]
fn role_words_name_no_speaker() {
    let speakers = [(1, "AI assistant".to_owned())];
    assert!(analyze("What did the Assistant say about AI?", &speakers, at(2026, 1, 1)).who.is_empty());
}

#[test]
fn irregular_forms_are_searched_beside_their_word() {
    let (any, all) = expression("What did they buy?");
    assert_eq!((any, all), (vec!["buy".to_owned(), "bought".to_owned()], vec![]));
}

#[test]
fn quoted_phrases_are_required_and_an_open_quote_is_nothing() {
    let (any, all) = expression("who read \"The Lean Startup\" and said \"hm");
    assert_eq!(all, ["the lean startup"]);
    assert!(any.contains(&"startup".to_owned()) && any.contains(&"the lean startup".to_owned()));
    assert!(!read("who read \"The Lean Startup\"").only_phrases);
    assert!(read("“to be or not”  \"to be\" !").only_phrases);
    assert_eq!(expression("\"to be or not\"").1, ["to be or not"]);
}

#[test]
fn phrase_without_words_is_looked_for_as_it_stands() {
    let analysis = read("\"🎂🎉\" \"東京タワー\" \"\"");
    assert_eq!(analysis.text_phrases().collect::<Vec<_>>(), ["🎂🎉", "東京タワー"]);
    assert_eq!(analysis.word_phrases().count(), 0);
}

#[test]
fn parts_of_an_identifier_are_searched_together_too() {
    let (any, all) = expression("error E-4711 at home-made");
    assert_eq!(any, ["error", "e", "4711", "home", "made", "e 4711", "error e", "4711 home", "home made"]);
    assert!(all.is_empty());
}

#[test]
fn asking_when_is_recognised() {
    assert!(read("When was it?").asks_when && read("on what date did it rain").asks_when);
    assert!(!read("tell me when").asks_when && !read("what a day").asks_when);
}

#[test]
fn terms_are_capped_and_case_and_punctuation_do_not_matter() {
    let many: Vec<String> = (0..1_000).map(|n| format!("word{n}")).collect();
    assert_eq!(read(&many.join(" ")).terms.len(), MAX_TERMS);
    assert_eq!(terms(&read("Café CAFÉ cafe\u{301} café")), ["cafe"]);
}

#[test]
fn words_about_talking_carry_nothing_where_others_do() {
    let terms = |text: &str| -> Vec<String> { read(text).terms.iter().map(|term| term.folded.clone()).collect() };
    assert_eq!(terms("what was mentioned about the harbour"), ["harbour"]);
    assert_eq!(terms("what was mentioned"), ["mentioned"]);
}

#[test]
fn topics_that_stand_together_are_pairs() {
    assert_eq!(
        read("the response time of the Dashboard API in May").pairs,
        [["response", "time"], ["dashboard", "api"]]
    );
    assert_eq!(read("rate of errors").pairs, [["rate", "errors"]]);
    assert!(read("cat, the and a dog; tea tea").pairs.iter().all(|pair| pair == &["dog", "tea"]));
}
