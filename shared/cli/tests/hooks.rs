//! Tests an assistant's hooks: installed, called with the documented JSON, and never failing the assistant.
#![expect(clippy::panic, clippy::unwrap_used, reason = "a helper of tests fails the test that calls it")]

mod common;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use common::{Sandbox, Up, said};
use serde_json::{Value, json};

const TRANSCRIPT: &str = r#"{"type":"user","uuid":"u-1","timestamp":"2026-05-04T10:00:00.000Z","message":{"role":"user","content":"I moved to Ghent and I keep bees there."}}
{"type":"assistant","uuid":"a-1","timestamp":"2026-05-04T10:00:02.000Z","message":{"role":"assistant","content":[{"type":"text","text":"Bees like the canals, I hear."},{"type":"tool_use","id":"t","name":"Read","input":{}}]}}
{"type":"user","uuid":"u-2","message":{"role":"user","content":[{"tool_use_id":"t","type":"tool_result","content":"4711"}]}}
"#;

struct Session<'p> {
    sandbox: &'p Sandbox,
    transcript: PathBuf,
    folder: PathBuf,
}

impl<'p> Session<'p> {
    fn new(sandbox: &'p Sandbox) -> Self {
        let transcript = sandbox.folder.path().join("00893aaf-19fa-41d2-8238-13269b9b3ca0.jsonl");
        fs::write(&transcript, TRANSCRIPT).unwrap();
        Self { sandbox, transcript, folder: sandbox.folder.path().join("hooks") }
    }

    /// The output of an event. It never fails.
    #[expect(clippy::needless_pass_by_value, reason = "reads like the JSON that it is")]
    fn hears(&self, event: &str, more: Value) -> String {
        let mut told = json!({
            "session_id": "abc123",
            "transcript_path": self.transcript,
            "cwd": self.sandbox.folder.path(),
            "permission_mode": "default",
            "hook_event_name": event,
        });
        told.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.types(&["hook", event, "--folder", &self.folder.display().to_string()], &told.to_string())
    }

    fn types(&self, args: &[&str], stdin: &str) -> String {
        let output = self.sandbox.run_with(args, stdin);
        assert!(output.status.success(), "{args:?} ended with {}: {}", output.status, said(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    fn waiting(&self) -> usize {
        fs::read_to_string(self.folder.join("spool.jsonl")).unwrap_or_default().lines().count()
    }
}

#[test]
fn hooks_are_shown_before_they_are_written_and_taken_out_again() {
    let sandbox = Sandbox::new();
    let settings = sandbox.folder.path().join("claude/settings.json");
    let at = settings.display().to_string();
    let hooks = |args: &[&str]| sandbox.ok(&[&["hooks"], args, &["--settings", &at]].concat());
    let shown = hooks(&["install", "--for", "claude-code"]);
    assert!(shown.contains("UserPromptSubmit") && shown.contains("--yes") && !settings.exists(), "{shown}");
    fs::create_dir(settings.parent().unwrap()).unwrap();
    let before = json!({"model": "opus", "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]}});
    fs::write(&settings, before.to_string()).unwrap();
    fs::set_permissions(&settings, fs::Permissions::from_mode(0o600)).unwrap();
    hooks(&["install", "--yes"]);
    let read = || serde_json::from_str::<Value>(&fs::read_to_string(&settings).unwrap()).unwrap();
    assert_eq!(read()["hooks"]["Stop"][0], before["hooks"]["Stop"][0]);
    let command = read()["hooks"]["SessionEnd"][0]["hooks"][0]["command"].as_str().unwrap().to_owned();
    let folder = sandbox.folder.path().join("data/hooks").display().to_string();
    assert!(command.contains(" hook SessionEnd --user 'ann'") && command.contains(&folder), "{command}");
    assert_eq!(fs::metadata(&settings).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(hooks(&["show"]).contains("5 hooks"));
    assert!(hooks(&["install", "--yes"]).contains("needs no change"));
    hooks(&["remove", "--yes"]);
    assert_eq!(read(), before);
    fs::write(&settings, "{").unwrap();
    assert_eq!(sandbox.run(&["hooks", "install", "--yes", "--settings", &at]).status.code(), Some(2));
    assert_eq!(fs::read_to_string(&settings).unwrap(), "{", "what cannot be read is left alone");
}

#[test]
fn an_event_fails_no_assistant_and_what_was_said_waits() {
    let sandbox = Sandbox::new();
    let session = Session::new(&sandbox);
    assert_eq!(session.hears("UserPromptSubmit", json!({"prompt": "where do I live?"})), "");
    assert_eq!(session.hears("Stop", json!({"stop_hook_active": false})), "");
    assert_eq!(session.hears("PreCompact", json!({"trigger": "auto", "custom_instructions": ""})), "");
    assert_eq!(session.waiting(), 2, "each once");
    let mode = |name: &str| fs::metadata(session.folder.join(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("."), mode("spool.jsonl"), mode("hooks.log")), (0o700, 0o600, 0o600));
    let folder = session.folder.display().to_string();
    session.types(&["hook", "Stop", "--folder", &folder], "not JSON");
    session.types(&["hook", "Tea", "--folder", &folder], "{}");
    session.types(&["hook", "Stop", "--option-of-another-version", "x"], "{}");
    let log = fs::read_to_string(session.folder.join("hooks.log")).unwrap();
    assert!(log.contains("cannot be reached") && log.contains("start it with `kimberly up`"), "{log}");
    assert!(log.contains("cannot be read") && log.contains("Tea"), "{log}");
    assert!(!log.contains("Ghent"), "{log}");
    let shown = sandbox.ok(&["hooks", "show", "--folder", &folder]);
    assert!(shown.contains("of messages wait") && shown.contains("`kimberly up`"), "{shown}");
}

#[test]
fn nul_and_half_an_emoji_in_a_transcript_lose_no_message() {
    let sandbox = Sandbox::new();
    let session = Session::new(&sandbox);
    let mut up = Up::start(sandbox.command(&["up"]));
    up.until("Kimberly is ready");
    let said = |id: &str, text: &str| {
        format!("{{\"type\":\"user\",\"uuid\":\"{id}\",\"message\":{{\"role\":\"user\",\"content\":\"{text}\"}}}}\n")
    };
    let lines = [
        said("u-3", "My tent is \\u0000 green"),
        said("u-4", "My boat is red \\ud83d"),
        said(&"x".repeat(200), "This id is too long"),
        format!("\0\0{}", said("u-5", "My house is\0white")),
    ];
    fs::write(&session.transcript, format!("{TRANSCRIPT}{}", lines.concat())).unwrap();
    session.hears("Stop", json!({"stop_hook_active": false}));
    let listed = sandbox.json(&["list", "--kind", "turn"])["memories"].as_array().unwrap().clone();
    let mut contents: Vec<_> = listed.iter().map(|turn| turn["content"].as_str().unwrap()).collect();
    contents.sort_unstable();
    let bees = ["Bees like the canals, I hear.", "I moved to Ghent and I keep bees there."];
    let new = ["My boat is red \u{FFFD}", "My house is white", "My tent is   green"];
    assert_eq!(contents, [&bees[..], &new].concat());
}

#[test]
fn queued_messages_are_delivered_and_memories_are_added_to_the_context() {
    let sandbox = Sandbox::new();
    let session = Session::new(&sandbox);
    session.hears("Stop", json!({"stop_hook_active": false}));
    assert_eq!(session.waiting(), 2);
    let mut up = Up::start(sandbox.command(&["up"]));
    up.until("Kimberly is ready");
    sandbox.ok(&["remember", "Always answer in short sentences."]);
    sandbox.ok(&["remember", "The harbour master of Porto is called Chen."]);
    let begun = session.hears("SessionStart", json!({"source": "startup", "model": "opus"}));
    let begun: Value = serde_json::from_str(&begun).unwrap();
    assert_eq!(begun["hookSpecificOutput"]["hookEventName"], "SessionStart");
    let context = begun["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
    assert!(context.contains("| Always answer in short sentences."), "{context}");
    assert_eq!(session.waiting(), 0, "what waited is delivered");
    let folder = session.folder.display().to_string();
    assert!(sandbox.ok(&["hooks", "show", "--folder", &folder]).contains("no message waits"));
    let turns = || sandbox.json(&["list", "--kind", "turn"])["memories"].as_array().unwrap().clone();
    assert_eq!(turns().len(), 2, "{:?}", turns());
    let asked = session.hears("UserPromptSubmit", json!({"prompt": "who is the harbour master of Porto?"}));
    let asked: Value = serde_json::from_str(&asked).unwrap();
    assert!(asked["hookSpecificOutput"]["additionalContext"].as_str().unwrap().contains("Chen"), "{asked}");
    assert_eq!(session.hears("UserPromptSubmit", json!({"prompt": "quantum chromodynamics"})), "", "nothing matters");
    session.hears("Stop", json!({"stop_hook_active": false}));
    session.hears("SessionEnd", json!({"reason": "prompt_input_exit"}));
    assert_eq!(turns().len(), 2, "nothing is stored twice");
    let turn = turns().into_iter().find(|turn| turn["content"].as_str().unwrap().contains("bees")).unwrap();
    assert_eq!(
        (turn["sessionId"].as_str(), turn["occurredAt"].as_str()),
        (Some("abc123"), Some("2026-05-04T10:00:00Z"))
    );
    let log = fs::read_to_string(session.folder.join("hooks.log")).unwrap_or_default();
    assert_eq!(log.lines().count(), 1, "only that it did not run: {log}");
}
