//! A first session names no user: the command, JSON and the console's link mean the same memory.

use std::io::Write as _;
use std::process::{Command, Stdio};

use kimberly_proto::v1 as pb;
use kimberly_tests::System;
use kimberly_tests::binaries::program;
use serde_json::{Value, json};

/// Runs `kimberly` as an account, without naming a user; returns its output.
pub(super) fn kimberly(system: &System, args: &[&str], stdin: &str) -> String {
    let mut child = Command::new(program())
        .env_clear()
        .env("KIMBERLY_SERVER", format!("http://{}", system.api_address()))
        .env("KIMBERLY_DATA_DIR", system.data_dir())
        .env("HOME", system.folder())
        .env("USER", "ann")
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    child.stdin.take().expect("it reads").write_all(stdin.as_bytes()).expect("it is told");
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("the command prints text")
}

pub(super) fn json_of(system: &System, args: &[&str]) -> Value {
    let text = kimberly(system, &[args, &["--json"]].concat(), "");
    serde_json::from_str(&text).expect("it prints JSON")
}

#[tokio::test]
async fn commands_and_json_without_a_user_mean_the_memory_that_the_link_opens() {
    let system = System::start_with(&[("KIMBERLY_AUTH__DEFAULT_USER", "zoe")]).await;
    kimberly(&system, &["remember", "I drink my tea without sugar"], "");
    let listed = system.get("/memory").await;
    assert_eq!(listed["memories"][0]["content"], "I drink my tea without sugar");
    let mut memories = system.clients().memories;
    let draft = pb::MemoryDraft { content: "The spare key is behind the door".to_owned(), ..Default::default() };
    let told = pb::CreateMemoryRequest { memory: Some(draft), ..Default::default() };
    memories.create_memory(told).await.expect("it is stored");
    let listed = json_of(&system, &["list"]);
    assert_eq!(listed["memories"].as_array().map(Vec::len), Some(2), "{listed}");
    assert!(kimberly(&system, &["recall", "where is the spare key?"], "").contains("behind the door"));
    assert_eq!(json_of(&system, &["users"])["users"], json!([{"userId": "zoe"}]));
    assert_eq!(kimberly(&system, &["users"], "").trim(), "zoe");
    let link = kimberly(&system, &["console"], "");
    assert!(link.trim().ends_with("/console/#/?user=zoe"), "{link}");
    assert!(json_of(&system, &["metrics"])["user"].is_object());

    // An assistant over stdin, and the hooks of another one.
    let call = json!({"name": "remember", "arguments": {"content": "Told over stdin"}});
    let request = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call});
    kimberly(&system, &["mcp"], &format!("{request}\n"));
    let listed = json_of(&system, &["list"]);
    assert_eq!(listed["memories"].as_array().map(Vec::len), Some(3), "{listed}");
    let hooks = kimberly(&system, &["hooks", "install", "--for", "claude-code", "--yes"], "");
    assert!(!hooks.contains("--user"), "{hooks}");
}
