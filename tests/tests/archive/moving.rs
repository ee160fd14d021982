//! An archive imports without loss, for any user and repeatedly; damaged ones are refused.

use std::fs;
use std::process::Command;

use kimberly_archive::{Section, Writer};
use kimberly_tests::System;
use kimberly_tests::attachments::{download, list, noise};
use serde_json::Value;

use super::command::{command, run};
use super::user::{ROOMY, living};
use super::written::Written;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_archive_comes_back_without_loss_and_only_once() {
    let here = System::start_with(&ROOMY).await;
    living(&here, "ana").await;
    let folder = here.folder().to_owned();
    let path = |name: &str| folder.join(name).display().to_string();
    let said = run(&here, "ana", &["export", "--archive", &path("a.tar")]);
    assert!(said.contains("4 goals") && said.contains("3 consents"), "{said}");
    let first = Written::read(&folder.join("a.tar"));
    holds_everything(&first);

    let there = System::start_with(&ROOMY).await;
    let check = run(&there, "ana", &["import", "--check", &path("a.tar")]);
    assert!(check.starts_with("would import"), "{check}");
    run(&there, "ana", &["import", &path("a.tar")]);
    run(&there, "ana", &["export", "--archive", &path("b.tar")]);
    let second = Written::read(&folder.join("b.tar"));
    first.assert_same(&second, "after an import");
    same_files(&here, &there).await;
    let again = run(&there, "ana", &["import", &path("a.tar")]);
    assert!(again.starts_with("imported 0 memories and 0 attachments"), "{again}");
    assert!(again.contains("were imported before"), "{again}");
    // Another file with the same content, and thus another import id.
    run(&there, "ana", &["import", &path("b.tar")]);
    run(&there, "ana", &["export", "--archive", &path("c.tar")]);
    first.assert_same(&Written::read(&folder.join("c.tar")), "after three imports");

    run(&there, "bob", &["import", &path("a.tar")]);
    run(&there, "bob", &["export", "--archive", &path("bob.tar")]);
    first.assert_same(&Written::read(&folder.join("bob.tar")), "of another user");
    let stdout = command(&there, "bob", &["export", "--archive", "-"]).output().expect("the command runs").stdout;
    fs::write(folder.join("stdout.tar"), stdout).expect("a file");
    first.assert_same(&Written::read(&folder.join("stdout.tar")), "through a pipe");
}

/// Attachments on both systems are identical, byte for byte.
async fn same_files(here: &System, there: &System) {
    let mut of = Vec::new();
    for system in [here, there] {
        let clients = system.clients();
        let mut files = list(&clients, "ana", "").await;
        files.retain(|file| !file.memory_ids.is_empty());
        let mut bytes = Vec::new();
        for file in &files {
            bytes.push(download(&clients, "ana", &file.id, 0).await.expect("its bytes"));
        }
        of.push((files, bytes));
    }
    assert_eq!(of[0].0.len(), 4, "those of withheld memories are hidden");
    assert_eq!(of[0].1[0], noise(7, of[0].1[0].len()));
    assert!(of[0] == of[1], "attachments here and there");
}

/// Every section has content.
fn holds_everything(archive: &Written) {
    let memories: Vec<Value> = archive.of(Section::Memories).into_iter().map(parsed).collect();
    for state in ["ACTIVE", "ARCHIVED", "DELETED"] {
        let state = format!("MEMORY_STATE_{state}");
        assert!(memories.iter().any(|line| line["memory"]["state"] == state), "no memory is {state}");
    }
    let withheld = memories.iter().filter(|line| line["memory"]["withheld"] == true).count();
    assert_eq!(withheld, 3, "those under the consent that was sealed");
    let text = archive.of(Section::Memories).concat();
    for said in ["sessionId", "speaker", "\"namespace\"", "scoreExplanation", "consentId", "userFeedback"] {
        assert!(text.contains(said), "no memory says {said}");
    }
    assert!(text.contains("of clinic") && !text.contains("of gone"), "what was purged is gone");
    assert!(!text.contains("\"userId\""), "an archive names no user");
    let kinds: Vec<Value> = archive.of(Section::Goals).into_iter().map(|line| parsed(line)["kind"].clone()).collect();
    assert!(
        ["GOAL", "PROJECT", "TASK"].iter().all(|kind| kinds.contains(&Value::from(format!("GOAL_KIND_{kind}")))),
        "{kinds:?}"
    );
    assert_eq!(archive.of(Section::Consents).len(), 3);
    let files: Vec<Value> = archive.of(Section::Attachments).into_iter().map(parsed).collect();
    let names: Vec<&str> = files.iter().filter_map(|file| file["name"].as_str()).collect();
    let scans = ["scan 0 of clinic", "scan 1 of clinic", "scan 2 of clinic"];
    assert_eq!(names, [&scans[..], &["the \"sea\" – ünïcödé 🐕.png", "a note", "its copy"]].concat());
    assert_eq!(files.len(), 7, "one has no name, and what hangs on no memory is not there");
    assert_eq!(files[3]["memoryIds"].as_array().map(Vec::len), Some(2));
    assert_eq!(files[5]["sha256"], files[6]["sha256"], "equal contents");
    let [settings] = archive.of(Section::Settings)[..] else { panic!("there is one line of settings") };
    assert_eq!(parsed(settings).as_object().map(serde_json::Map::len), Some(18), "{settings}");
    assert!(archive.of(Section::Audit).len() > 10);
}

fn parsed(line: &str) -> Value {
    serde_json::from_str(line).expect("a line of JSON")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_audit_in_an_archive_is_verified_anywhere_and_damage_is_refused_before_anything_is_imported() {
    let system = System::start().await;
    let memory = system.user("ana").remember("tea at four").await;
    let folder = system.folder().to_owned();
    let path = |name: &str| folder.join(name).display().to_string();
    fs::write(folder.join("menu.txt"), "scones").expect("a file");
    run(&system, "ana", &["attach", &path("menu.txt"), "--memory", &memory.id]);
    run(&system, "ana", &["export", "--archive", &path("a.tar")]);
    let verdict =
        run(&system, "ana", &["--server", "http://127.0.0.1:1", "audit", "verify", "--export", &path("a.tar")]);
    assert!(!verdict.is_empty());
    // Extracted with an ordinary tool.
    let audit = Command::new("tar").args(["-xOf", &path("a.tar"), "audit/000001.jsonl"]).output().expect("tar runs");
    fs::write(folder.join("audit.jsonl"), audit.stdout).expect("a file");
    assert_eq!(run(&system, "ana", &["audit", "verify", "--export", &path("audit.jsonl")]), verdict);

    let whole = fs::read(folder.join("a.tar")).expect("the archive");
    let fails = |bytes: &[u8], args: &[&str]| {
        fs::write(folder.join("bad.tar"), bytes).expect("a file");
        let output =
            command(&system, "bob", &[args, &[path("bad.tar").as_str()]].concat()).output().expect("the command runs");
        assert!(!output.status.success(), "{args:?} took a damaged archive");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let scones = whole.windows(6).position(|bytes| bytes == b"scones").expect("the bytes of the attachment");
    for (at, says) in [
        (1024 + 512 + 20, "manifest"),
        (scones, "does not have the hash"),
        (whole.len() - 1, "zero"),
        (1024 + 3, "byte 1024"),
    ] {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        for args in [&["import"][..], &["audit", "verify", "--export"]] {
            let said = fails(&bytes, args);
            assert!(said.contains(says), "byte {at}, {args:?}: {said}");
        }
    }
    for cut in [600, 1024, whole.len() / 2, whole.len() - 1] {
        let said = fails(&whole[..cut], &["import"]);
        assert!(said.contains("is truncated"), "{cut} bytes: {said}");
    }
    assert!(system.user("bob").everything().await.is_empty(), "none of them imported anything");
    for args in [&["export", "--archive", "x", "--tier", "permanent"][..], &["export", "--archive", "-", "--resume"]] {
        assert!(!command(&system, "ana", args).output().expect("the command runs").status.success(), "{args:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn attachments_that_do_not_fit_are_named_and_the_rest_is_there_and_an_import_goes_on_when_they_do() {
    let system = System::start_with(&[("KIMBERLY_ATTACHMENTS__ALLOWANCE", "150KiB")]).await;
    let memory = system.user("ana").remember("tea at four").await;
    let folder = system.folder().to_owned();
    let path = |name: &str| folder.join(name).display().to_string();
    for (name, seed) in [("one", 1), ("two", 2)] {
        fs::write(folder.join(name), noise(seed, 100 << 10)).expect("a file");
    }
    run(&system, "ana", &["attach", &path("one"), "--memory", &memory.id]);
    run(&system, "ana", &["export", "--archive", &path("a.tar")]);
    run(&system, "ana", &["export", "--archive", &path("without.tar"), "--without-attachments"]);
    let without = Written::read(&folder.join("without.tar"));
    assert_eq!((without.of(Section::Memories).len(), without.of(Section::Attachments).len()), (1, 0));

    // Bob's quota is too small at first.
    let other = system.user("bob").remember("coffee").await;
    run(&system, "bob", &["attach", &path("two"), "--memory", &other.id]);
    let full = command(&system, "bob", &["import", &path("a.tar")]).output().expect("the command runs");
    let said = String::from_utf8_lossy(&full.stderr);
    assert!(!full.status.success() && said.contains("1 attachments were refused") && said.contains("att_"), "{said}");
    assert!(said.contains("cannot take 102400 more"), "{said}");
    assert_eq!(system.user("bob").everything().await.len(), 2, "its memory is there");
    run(&system, "bob", &["forget", &other.id, "--now"]);
    let done = run(&system, "bob", &["import", &path("a.tar")]);
    assert!(done.starts_with("imported 0 memories and 1 attachment"), "{done}");
    let clients = system.clients();
    let [file] = &list(&clients, "bob", &memory.id).await[..] else { panic!("one hangs on the memory") };
    assert_eq!(download(&clients, "bob", &file.id, 0).await.expect("its bytes"), noise(1, 100 << 10));

    // An attachment without its memories cannot be attached.
    let mut writer = Writer::new(fs::File::create(path("alone.tar")).expect("a file")).expect("an archive");
    let line = Written::read(&folder.join("a.tar")).of(Section::Attachments)[0].to_owned();
    writer.attachment(&line, &mut &noise(1, 100 << 10)[..]).expect("an attachment");
    writer.finish().expect("an archive");
    let alone = run(&system, "eve", &["import", &path("alone.tar")]);
    assert!(alone.contains("omitted 1 attachment whose memories do not exist"), "{alone}");
    assert!(list(&clients, "eve", "").await.is_empty());
}
