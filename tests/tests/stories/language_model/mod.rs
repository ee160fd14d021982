//! Tests what a language model adds, and that nothing is lost if it answers badly, slowly or not at all. The model is
//! scripted.

mod learning;
mod recall;
mod summaries;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};

use kimberly_tests::System;
use serde_json::{Value, json};

/// An endpoint that answers each request with the result of `script` for its data; returns its address.
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
