//! Commands have bounds on time and output.

use std::fs;
use std::path::PathBuf;

use super::*;
use crate::{KeySource, KeySources, Ring};

/// Long enough for a busy machine; only tests of the timeout use less.
const AMPLE: Duration = Duration::from_mins(2);
const SHORT: Duration = Duration::from_millis(300);

/// A script, written by another process: had this one written it, `exec` in another thread could fail with ETXTBSY.
fn script(folder: &Path, body: &str) -> PathBuf {
    let path = folder.join("command");
    let written = Command::new("/bin/sh")
        .args(["-c", "printf '#!/bin/sh\\n%s\\n' \"$2\" > \"$1\" && chmod 700 \"$1\"", "sh"])
        .arg(&path)
        .arg(body)
        .status()
        .unwrap();
    assert!(written.success());
    path
}

fn answer(body: &str, limit: Duration) -> Result<Zeroizing<Vec<u8>>, KeyError> {
    let folder = tempfile::tempdir().unwrap();
    run(&script(folder.path(), body), RingName::Sensitive, limit)
}

fn refusal(body: &str, limit: Duration) -> String {
    let error = answer(body, limit).unwrap_err().to_string();
    assert!(error.starts_with("keys.sensitive: the command /"), "{error}");
    error
}

#[test]
fn the_command_gets_the_name_of_the_ring_and_nothing_else() {
    assert_eq!(*answer("echo \"$# $1\"; cat", AMPLE).unwrap(), b"1 sensitive\n");
}

#[test]
fn one_command_can_serve_both_rings() {
    let (folder, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let rings = [Ring::generate().unwrap(), Ring::generate().unwrap()];
    let body = format!("case $1 in master) echo {} ;; *) echo {} ;; esac", rings[0].1.trim(), rings[1].1.trim());
    let source = Some(KeySource::Command(script(folder.path(), &body)));
    let sources = KeySources { master: source.clone(), sensitive: source, ..KeySources::default() };
    let locations = sources.locations("0011223344556677", data.path()).unwrap();
    for (location, (ring, _)) in [&locations.master, &locations.sensitive].into_iter().zip(&rings) {
        assert_eq!(location.load().unwrap().unwrap().current(), ring.current());
    }
}

#[test]
fn a_failing_command_is_refused_whatever_it_printed() {
    assert!(refusal("echo key; exit 3", AMPLE).contains("failed (exit status: 3)"));
    assert!(refusal("echo key; kill -9 $$", AMPLE).contains("failed (signal: 9"));
}

#[test]
fn an_absent_command_is_said_to_be_absent() {
    let error = run(Path::new("/nowhere/command"), RingName::Master, AMPLE).unwrap_err().to_string();
    assert!(error.contains("keys.master: the command /nowhere/command could not be started"), "{error}");
}

#[test]
fn what_is_printed_is_bounded() {
    assert_eq!(answer("head -c 4096 /dev/zero", AMPLE).unwrap().len(), 4096);
    assert!(refusal("head -c 4097 /dev/zero", AMPLE).contains("more than 4096 bytes"));
    assert!(refusal("cat /dev/zero", AMPLE).contains("more than 4096 bytes"));
}

#[test]
fn a_command_that_takes_too_long_is_ended_with_what_it_started() {
    let folder = tempfile::tempdir().unwrap();
    for body in ["sleep 600 & echo $! > PIDS; echo $$ >> PIDS; wait", "echo $$ > PIDS; exec >&-; exec sleep 600"] {
        let pids = folder.path().join("pids");
        let program = script(folder.path(), &body.replace("PIDS", pids.to_str().unwrap()));
        let mut limit = SHORT;
        // On a busy machine the script may not reach its second line: retry with more time.
        let error = loop {
            let error = run(&program, RingName::Master, limit).unwrap_err().to_string();
            if fs::read_to_string(&pids).is_ok_and(|pids| pids.lines().count() == body.matches("PIDS").count()) {
                break error;
            }
            limit *= 2;
        };
        assert!(error.contains("did not end within"), "{error}");
        for pid in fs::read_to_string(&pids).unwrap().lines() {
            while alive(pid) {
                thread::sleep(PAUSE);
            }
        }
    }
}

/// Whether a process runs; zombies do not.
fn alive(pid: &str) -> bool {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    status.lines().any(|line| line.starts_with("State:") && !line.contains('Z') && !line.contains('X'))
}
