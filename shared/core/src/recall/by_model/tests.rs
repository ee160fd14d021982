//! Claims about what a model may do for recall. The texts are made up here.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn asked() -> Asked {
    Asked {
        query: "where is the boat?".to_owned(),
        turns: vec!["We sailed her to Porto with Emil in 1998.".to_owned()],
        subjects: vec!["Ana Sousa".to_owned()],
    }
}

fn of(list: &Value) -> Vec<String> {
    let answer = json!({"reasoning": "", "alternatives": list}).to_string();
    asked().alternatives(&answer).expect("an answer")
}

#[test]
fn at_most_three_other_wordings_are_searched() {
    let same = json!(["boat harbour", "where is the boat?", "boat harbour", "", "?!", "berth"]);
    assert_eq!(of(&same), ["boat harbour", "berth"]);
    assert_eq!(of(&json!(["a b", "c d", "e f", "g h"])), ["a b", "c d", "e f"]);
    let odd = json!(["the \"boat\" berth", 3, null, "x\ny", "long ".repeat(100)]);
    assert_eq!(of(&odd), ["the  boat  berth"]);
    assert!(of(&json!([])).is_empty());
    for answer in ["", "no", "{}", "[]", "{\"alternatives\": 3}", "}{"] {
        assert_eq!(asked().alternatives(answer), None, "{answer}");
    }
}

#[test]
fn no_other_wording_names_what_nothing_names() {
    let known = ["boat of Ana Sousa", "boat in Porto with Emil", "boat 1998"];
    assert_eq!(of(&json!(known)), known);
    assert!(of(&json!(["boat of Mallory", "boat 77", "account of Emil Mallory"])).is_empty());
}

#[test]
fn what_has_no_word_or_quotes_is_not_put_otherwise() {
    assert!(Asked::may_be_put_otherwise("why?"));
    for query in ["🎉", "?!", " ", "who said \"new strings\"", "“new strings”"] {
        assert!(!Asked::may_be_put_otherwise(query), "{query}");
    }
}

#[test]
fn secrets_are_masked_and_long_texts_are_cut() {
    let secret = || "my password is hunter2hunter2".to_owned();
    let asked = Asked { query: secret(), turns: vec![secret()], subjects: Vec::new() };
    let task = asked.task();
    assert!(!task.data.contains("hunter2") && task.is_awaited);
    let place = |field: &str| task.schema.find(&format!("\"{field}\": {{"));
    assert!(
        place("reasoning").is_some() && place("reasoning") < place("alternatives"),
        "it is to think before it lists"
    );
    let long = "word ".repeat(10_000);
    let asked = Asked { query: long.clone(), turns: vec![long; 4], subjects: Vec::new() };
    assert!(asked.task().data.len() < 6_000);
}

proptest! {
    #[test]
    fn no_answer_breaks_the_reader(answer in ".{0,200}") {
        let _ = asked().alternatives(&answer);
    }
}
