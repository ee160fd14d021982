//! Tests that passphrases are read from a terminal without echo, and that errors name a missing key or passphrase.
#![expect(clippy::panic, clippy::unwrap_used, reason = "a helper of tests fails the test that calls it")]

mod common;

use std::fs::{self, Permissions};
use std::io::{Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Stdio};

use common::{Sandbox, kimberly, said};
use kimberly_archive::envelope::{EnvelopeWriter, Recipients};
use kimberly_archive::{Section, Writer};

const PASSPHRASE: &str = "scones & jam";

/// An archive of one memory, encrypted under a passphrase.
fn archive(sandbox: &Sandbox) -> String {
    let path = sandbox.folder.path().join("mine.age");
    let out = EnvelopeWriter::new(fs::File::create(&path).unwrap(), &Recipients::passphrase(PASSPHRASE)).unwrap();
    let mut writer = Writer::new(out).unwrap();
    writer.line(Section::Memories, r#"{"memory":{"content":"tea"}}"#).unwrap();
    writer.finish().unwrap().finish().unwrap();
    path.display().to_string()
}

/// Runs a command on its own terminal and types an answer to each prompt; returns its exit code and all terminal
/// output.
fn on_a_terminal(sandbox: &Sandbox, args: &[&str], answers: &[&str]) -> (i32, String) {
    let words: Vec<String> = args.iter().map(|word| format!("'{word}'")).collect();
    let line = format!("'{}' {}", kimberly(), words.join(" "));
    let mut script = Command::new("script");
    script.args(["-qefc", &line, "/dev/null"]).current_dir(sandbox.folder.path()).env("SHELL", "/bin/sh");
    for (name, value) in sandbox.command(&[]).get_envs() {
        match value {
            Some(value) => script.env(name, value),
            None => script.env_remove(name),
        };
    }
    let mut child = script.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut keys, mut screen) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let (mut shown, mut piece, mut asked) = (String::new(), [0; 512], 0);
    loop {
        let read = screen.read(&mut piece).unwrap();
        if read == 0 {
            break;
        }
        shown.push_str(&String::from_utf8_lossy(&piece[..read]));
        while shown.matches(": ").count() > asked && asked < answers.len() {
            keys.write_all(answers[asked].as_bytes()).unwrap();
            asked += 1;
        }
    }
    (child.wait().unwrap().code().unwrap(), shown)
}

#[test]
fn a_passphrase_is_asked_for_and_not_shown() {
    let sandbox = Sandbox::new();
    let file = archive(&sandbox);
    let (code, shown) = on_a_terminal(&sandbox, &["import", "--check", &file], &["scones & jam\n"]);
    assert!(code == 0 && shown.contains("would import 1 memory"), "{code}: {shown}");
    assert!(shown.contains("Passphrase of the archive: ") && !shown.contains("scones"), "{shown}");
    let (code, shown) = on_a_terminal(&sandbox, &["import", "--check", &file], &["scones\n"]);
    assert!(code == 1 && shown.contains("does not open") && !shown.contains("scones"), "{code}: {shown}");
    let (code, shown) = on_a_terminal(&sandbox, &["import", "--check", &file], &["sco\x03"]);
    assert!(code == 1 && shown.contains("interrupted"), "{code}: {shown}");
    let export = ["export", "--archive", "new.age", "--age-passphrase"];
    let (code, shown) = on_a_terminal(&sandbox, &export, &["scones\n", "jam\n"]);
    assert!(code == 2 && shown.contains("two passphrases") && !shown.contains("scones"), "{code}: {shown}");
    let (code, shown) = on_a_terminal(&sandbox, &export, &["scones\n", "scones\n"]);
    assert!(code == 3, "both were the same, and no server listens: {code}: {shown}");
    assert!(!sandbox.folder.path().join("new.age.part").exists());
}

#[test]
fn without_a_terminal_the_files_are_named_that_would_do() {
    let sandbox = Sandbox::new();
    let file = archive(&sandbox);
    let alone = |args: &[&str]| {
        // A new session has no terminal.
        let mut command = Command::new("setsid");
        command.arg("--wait").arg(kimberly()).args(args).current_dir(sandbox.folder.path());
        let output = command.stdin(Stdio::null()).output().unwrap();
        (output.status.code().unwrap(), said(&output))
    };
    for args in [&["import", "--check", &file][..], &["audit", "verify", "--export", &file]] {
        let (code, shown) = alone(args);
        assert!(code == 2 && shown.contains("--age-passphrase-file"), "{args:?}: {shown}");
    }
    let (code, shown) = alone(&["export", "--archive", "new.age", "--age-passphrase"]);
    assert!(code == 2 && shown.contains("--age-passphrase-file"), "{shown}");
}

#[test]
fn arguments_that_do_not_go_together_are_refused() {
    let sandbox = Sandbox::new();
    let file = archive(&sandbox);
    let pass = sandbox.folder.path().join("pass");
    fs::write(&pass, PASSPHRASE).unwrap();
    fs::set_permissions(&pass, Permissions::from_mode(0o600)).unwrap();
    let pass = pass.display().to_string();
    let key = "age1z4k32qhyex4hckxw9xdfy2avtshpv2ga6q0xkaqc9e2a3vdeqpgqevj9pq";
    let secret = "AGE-SECRET-KEY-14WFAPFK28VA4FM24SSHG4D288HPMP2NDJKLDVHQWGF0V8Y8CGFRQN3MCM4";
    let plain = sandbox.folder.path().join("plain.tar");
    fs::write(&plain, Writer::new(Vec::new()).unwrap().finish().unwrap()).unwrap();
    let plain = plain.display().to_string();
    for (args, part) in [
        (&["export", "mine.jsonl", "--age-recipient", key][..], "--archive"),
        (&["export", "--archive", "x", "--age-recipient", key, "--age-passphrase"], "cannot be used with"),
        (&["export", "--archive", "x", "--age-recipient", key, "--resume"], "start over"),
        (&["export", "--archive", "x", "--age-recipient", secret], "--age-recipient 1: this is a secret key"),
        (&["import", "--check", &plain, "--age-passphrase-file", &pass], "is not encrypted with age"),
        (&["audit", "verify", "--age-passphrase-file", &pass], "--export"),
    ] {
        let output = sandbox.run(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", said(&output));
        assert!(said(&output).contains(part), "{args:?}: {}", said(&output));
        assert!(!said(&output).contains(secret), "{args:?}");
    }
    // The same through a pipe.
    let archive = fs::read(&file).unwrap();
    let mut command = sandbox.command(&["import", "-", "--check", "--age-passphrase-file", &pass]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(&archive).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).starts_with("would import 1 memory"), "{}", said(&output));
}
