//! What a language model adds to what rules learn, and that nothing is lost where it answers badly or not at all.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};

use kimberly_proto::v1::{self as pb, ExtractedBy};
use kimberly_tests::{System, User};
use serde_json::{Value, json};

const PUZZLE: &str = "Rex keeps the sheep behind our barn in Ohio.";

/// An endpoint that answers each request by what `script` makes of its data; returns its address.
fn endpoint(script: fn(&Value) -> Option<Value>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || answer(stream, script));
        }
    });
    format!("http://{address}/v1")
}

fn answer(stream: TcpStream, script: fn(&Value) -> Option<Value>) {
    let mut reader = BufReader::new(stream);
    let (mut line, mut length) = (String::new(), 0);
    while reader.read_line(&mut line).is_ok_and(|read| read > 2) {
        if let Some(said) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = said.trim().parse().expect("a length");
        }
        line.clear();
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).expect("a body");
    let body: Value = serde_json::from_slice(&body).expect("JSON");
    let data = body.pointer("/messages/1/content").and_then(Value::as_str).expect("data");
    let content = script(&serde_json::from_str(data).expect("data is JSON")).map(|answer| answer.to_string());
    let answer = match content {
        Some(content) => json!({"choices": [{"message": {"content": content}}]}).to_string(),
        None => "I would rather not.".to_owned(),
    };
    let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", answer.len());
    let _ = reader.into_inner().write_all(format!("{head}{answer}").as_bytes());
}

async fn system(url: &str) -> System {
    System::start_with(&[("KIMBERLY_LANGUAGE_MODEL__URL", url), ("KIMBERLY_LANGUAGE_MODEL__MODEL", "scripted")]).await
}

async fn heard(user: &mut User, content: &str) -> pb::ExtractedTurn {
    let (name, content) = ("Ana".to_owned(), content.to_owned());
    user.heard(pb::Message { role: pb::Role::User.into(), name, content, ..pb::Message::default() }).await
}

/// Quotes the message, and invents something beside.
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
