//! Tests what a model adds to extraction by rules.

use kimberly_proto::v1::{self as pb, ExtractedBy};
use kimberly_tests::User;
use serde_json::{Value, json};

use super::{endpoint, system};

/// The judge alone would not keep it.
const PUZZLE: &str = "Who keeps the sheep behind our barn in Ohio? Rex does.";

async fn heard(user: &mut User, content: &str) -> pb::ExtractedTurn {
    let (name, content) = ("Ana".to_owned(), content.to_owned());
    user.heard(pb::Message { role: pb::Role::User.into(), name, content, ..pb::Message::default() }).await
}

/// Quotes the message, and adds an invention.
fn helpful(data: &Value) -> Option<Value> {
    let text = data.pointer("/message/text")?.as_str()?.trim_start_matches("Yes! ");
    let item = |quote: &str, statement: &str| json!({"quote": quote, "statement": statement, "subject": "Rex", "kind": "knowledge", "importance": 6});
    let items = [item(text, "Rex keeps the sheep behind Ana's barn in Ohio."), item("Rex bites.", "Rex bites.")];
    Some(json!({"reasoning": "A dog.", "items": items}))
}

#[tokio::test]
async fn a_model_adds_what_it_can_quote_and_nothing_that_it_invents() {
    let system = system(&endpoint(helpful)).await;
    let mut ana = system.user("ana");
    let turn = heard(&mut ana, PUZZLE).await;
    assert_eq!(turn.extracted_by(), ExtractedBy::Model);
    let [id] = &turn.made_ids[..] else { panic!("{turn:?}") };
    let made = ana.memory(id).await;
    assert_eq!(
        (made.content.as_str(), made.kind()),
        ("Rex keeps the sheep behind Ana's barn in Ohio.", pb::Kind::Knowledge)
    );
    let again = heard(&mut ana, &format!("Yes! {PUZZLE}")).await;
    assert_eq!(
        (&again.merged_ids[..], again.made_ids.len()),
        (std::slice::from_ref(id), 0),
        "said again, not stored twice"
    );
}

#[tokio::test]
async fn where_the_model_does_not_answer_rules_read_alone_and_say_so() {
    for url in [endpoint(|_| None), "http://127.0.0.1:1/v1".to_owned()] {
        let system = system(&url).await;
        let mut ana = system.user("ana");
        let turn = heard(&mut ana, "I live in Porto.").await;
        assert_eq!((turn.extracted_by(), turn.made_ids.len()), (ExtractedBy::RulesInstead, 1), "{turn:?}");
    }
}
