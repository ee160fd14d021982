//! Tests `kimberly audit checkpoint`, and verification against a checkpoint with and without a server.
#![expect(clippy::panic, clippy::unwrap_used, reason = "a helper of tests fails the test that calls it")]

mod common;

use std::fs;
use std::path::PathBuf;

use common::{Sandbox, Up, said};
use serde_json::Value;

struct World {
    sandbox: Sandbox,
    _up: Up,
}

impl World {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        let mut up = Up::start(sandbox.command(&["up"]));
        up.until("Kimberly is ready");
        Self { sandbox, _up: up }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.sandbox.folder.path().join(name)
    }

    /// Asserts that a check fails with these messages.
    #[track_caller]
    fn fails(&self, args: &[&str], parts: &[&str]) {
        let output = self.sandbox.run(args);
        let told = format!("{}{}", String::from_utf8_lossy(&output.stdout), said(&output));
        assert!(!output.status.success(), "{args:?}: {told}");
        for part in parts {
            assert!(told.contains(part), "{args:?} does not say {part:?}: {told}");
        }
    }

    /// Writes the checkpoint with one field changed.
    fn forge(&self, name: &str, field: &str, change: impl FnOnce(&Value) -> Value) {
        let mut value: Value = serde_json::from_str(&fs::read_to_string(self.path("good.json")).unwrap()).unwrap();
        value[field] = change(&value[field]);
        fs::write(self.path(name), value.to_string()).unwrap();
    }
}

#[test]
fn a_checkpoint_holds_the_audit_to_what_it_said_and_none_that_is_not_good_is_used() {
    let world = World::new();
    let sandbox = &world.sandbox;
    sandbox.ok(&["remember", "The heron stands in the reeds."]);
    assert!(sandbox.ok(&["audit", "verify"]).contains("the audit is intact: "));
    assert!(sandbox.ok(&["audit", "checkpoint", "good.json"]).contains("public key"));
    sandbox.ok(&["remember", "The tide comes in twice a day."]);
    assert!(sandbox.ok(&["audit", "verify", "--checkpoint", "good.json"]).contains("the audit is intact"));
    let key = sandbox.ok(&["audit", "public-key"]).trim().to_owned();
    let keyed = ["audit", "verify", "--checkpoint", "good.json", "--public-key", &key];
    sandbox.ok(&keyed);
    world.fails(&["audit", "checkpoint", "good.json"], &["good.json cannot be written"]);

    world.fails(&["--user", "bob", "audit", "verify", "--checkpoint", "good.json"], &["belongs to the log vault:"]);
    world.fails(&["audit", "verify", "--system", "--checkpoint", "good.json"], &["good.json"]);
    let other = "ab".repeat(32);
    world.fails(&["audit", "verify", "--checkpoint", "good.json", "--public-key", &other], &["another server"]);
    world.fails(&["audit", "verify", "--checkpoint", "good.json", "--public-key", "ab"], &["not a public key"]);
    world.forge("changed.json", "number", |number| (number.as_u64().unwrap() + 1).into());
    world.fails(&["audit", "verify", "--checkpoint", "changed.json"], &["signature does not match"]);
    world.forge("signature.json", "signature", |text| text.as_str().unwrap().replace(['0', '1'], "2").into());
    world.fails(&["audit", "verify", "--checkpoint", "signature.json"], &["signature does not match"]);
    fs::write(world.path("damaged.json"), &fs::read(world.path("good.json")).unwrap()[..70]).unwrap();
    world.fails(
        &["audit", "verify", "--checkpoint", "damaged.json"],
        &["damaged.json is not a valid checkpoint", "JSON"],
    );
    world.fails(&["audit", "verify", "--checkpoint", "absent.json"], &["absent.json cannot be read"]);

    // The same for the system's audit.
    sandbox.ok(&["keys", "create", "shop", "--for", "*", "--can", "read"]);
    let system: Value = serde_json::from_str(&sandbox.ok(&["audit", "checkpoint", "--system"])).unwrap();
    assert!(system["log"].as_str().unwrap().starts_with("system:"), "{system}");
    fs::write(world.path("system.json"), system.to_string()).unwrap();
    sandbox.ok(&["audit", "verify", "--system", "--checkpoint", "system.json"]);
    world.fails(&["audit", "verify", "--checkpoint", "system.json"], &["belongs to the log system:"]);
}

#[test]
fn an_export_that_was_cut_or_rewritten_is_detected_by_a_checkpoint_without_a_server() {
    let world = World::new();
    let sandbox = &world.sandbox;
    for content in ["one", "two", "three"] {
        sandbox.ok(&["remember", content]);
    }
    sandbox.ok(&["audit", "checkpoint", "good.json"]);
    sandbox.ok(&["audit", "export", "audit.jsonl"]);
    let key = sandbox.ok(&["audit", "public-key"]).trim().to_owned();
    let checked = |export: &str| {
        ["audit", "verify", "--export", export, "--checkpoint", "good.json", "--public-key", &key].map(str::to_owned)
    };
    let args = checked("audit.jsonl");
    assert!(sandbox.ok(&args.each_ref().map(String::as_str)).contains("the audit is intact"));
    world.fails(&["audit", "verify", "--export", "audit.jsonl", "--checkpoint", "good.json"], &["--public-key"]);

    let whole = fs::read_to_string(world.path("audit.jsonl")).unwrap();
    let lines: Vec<&str> = whole.lines().collect();
    // Truncated, and its header changed to match.
    let mut section: Value = serde_json::from_str(lines[0]).unwrap();
    section["audit"]["last"] = "1".into();
    fs::write(world.path("cut.jsonl"), format!("{section}\n{}\n", lines[1])).unwrap();
    sandbox.ok(&["audit", "verify", "--export", "cut.jsonl"]);
    world.fails(&checked("cut.jsonl").each_ref().map(String::as_str), &["missing at the end of the audit"]);

    // Rehashed from an entry on: a valid chain, but a different one.
    fs::write(world.path("rewritten.jsonl"), rewritten(&lines)).unwrap();
    assert!(sandbox.ok(&["audit", "verify", "--export", "rewritten.jsonl"]).contains("the audit is intact"));
    world.fails(&checked("rewritten.jsonl").each_ref().map(String::as_str), &["differs from the head you gave"]);

    // The export of another log.
    sandbox.ok(&["--user", "bob", "remember", "four"]);
    sandbox.ok(&["--user", "bob", "audit", "export", "bob.jsonl"]);
    world.fails(&checked("bob.jsonl").each_ref().map(String::as_str), &["belongs to the log vault:"]);
}

/// An export whose first entry names another actor, with every hash recomputed.
fn rewritten(lines: &[&str]) -> String {
    use kimberly_core::Timestamp;
    use kimberly_core::audit::{AuditHead, AuditRecord, hash_text};
    let section: Value = serde_json::from_str(lines[0]).unwrap();
    let mut head = AuditHead::genesis(section["audit"]["log"].as_str().unwrap());
    let mut text = format!("{}\n", lines[0]);
    for line in &lines[1..] {
        let mut value: Value = serde_json::from_str(line).unwrap();
        if head.no == 0 {
            value["actor"] = "nobody".into();
        }
        let told = |name: &str| value[name].as_str().map(str::to_owned);
        let at: prost_types::Timestamp = told("recordedAt").unwrap().parse().unwrap();
        let record = AuditRecord {
            no: told("number").unwrap().parse().unwrap(),
            at: Timestamp(at.seconds * 1_000_000 + i64::from(at.nanos) / 1_000),
            actor: told("actor").unwrap(),
            action: told("action").unwrap(),
            refused: told("refused"),
            subject: told("subject"),
            count: told("count").map_or(0, |count| count.parse().unwrap()),
            hash: [0; 32],
        };
        head = AuditHead { no: record.no, hash: record.hash_after(&head.hash) };
        value["hash"] = hash_text(&head.hash).into();
        text.push_str(&value.to_string());
        text.push('\n');
    }
    text
}
