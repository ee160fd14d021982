//! Tests of what a model may do for recall. The texts are invented.

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
    let known = ["Where is Ana Sousa", "boat in Porto with Emil", "boat 1998"];
    assert_eq!(of(&json!(known)), known);
    assert!(of(&json!(["boat of Mallory", "Mallory account", "boat 77", "account of Emil Mallory"])).is_empty());
}

#[test]
fn what_has_no_word_or_quotes_is_not_put_otherwise() {
    assert!(Asked::may_be_put_otherwise("why?"));
    for query in ["🎉", "?!", " ", "who said \"new strings\"", "“new strings”"] {
        assert!(!Asked::may_be_put_otherwise(query), "{query}");
    }
}

#[test]
fn an_order_retains_all_results_and_drops_unknown_ids() {
    let of = |list: &Value| order(&json!({"reasoning": "", "order": list}).to_string(), 4);
    assert_eq!(of(&json!([2, 0])), Some(vec![2, 0, 1, 3]));
    assert_eq!(of(&json!([])), Some(vec![0, 1, 2, 3]));
    assert_eq!(of(&json!([9, 3, 3, -1, "0", 0.5, null, 1])), Some(vec![3, 1, 0, 2]));
    for list in [json!([4]), json!([-1]), json!(["mem_1"]), json!(7), json!(null)] {
        assert_eq!(of(&list), None, "{list}");
    }
    for answer in ["", "no", "{}", "[]", "}{"] {
        assert_eq!(order(answer, 4), None, "{answer}");
    }
}

#[test]
fn equal_scores_keep_the_old_order() {
    assert_eq!(by_scores(&[0.5, -2.0, 0.5, 3.0, -2.0]), [3, 0, 2, 1, 4]);
    assert!(by_scores(&[]).is_empty());
    assert_eq!(scored_part(&"é".repeat(1_000)).len(), 600);
}

#[test]
fn secrets_are_masked_and_long_texts_are_cut() {
    let secret = || "my password is hunter2hunter2".to_owned();
    let asked = Asked { query: secret(), turns: vec![secret()], subjects: Vec::new() };
    let tasks = [asked.task(), ask_for_order(&secret(), &[secret()])];
    assert!(tasks.iter().all(|task| !task.data.contains("hunter2") && task.is_awaited));
    for (task, list) in tasks.iter().zip(["alternatives", "order"]) {
        let position = |field: &str| task.schema.find(&format!("\"{field}\": {{"));
        assert!(
            position("reasoning").is_some() && position("reasoning") < position(list),
            "it is to think before it lists"
        );
    }
    let long = "word ".repeat(10_000);
    assert!(ask_for_order(&long, &vec![long.clone(); MOST_RANKED]).data.len() < 20_000);
    let asked = Asked { query: long.clone(), turns: vec![long; 4], subjects: Vec::new() };
    assert!(asked.task().data.len() < 6_000);
}

proptest! {
    #[test]
    fn no_answer_breaks_the_readers(answer in ".{0,200}", ids in proptest::collection::vec(0_usize..30, 0..30)) {
        let _ = (asked().alternatives(&answer), order(&answer, 20));
        if let Some(mut all) = order(&json!({"order": ids}).to_string(), 20) {
            all.sort_unstable();
            prop_assert_eq!(all, (0..20).collect::<Vec<_>>());
        }
    }
}
