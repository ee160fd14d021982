//! Tests `kimberly model pull` with a hub that disconnects, sends wrong data, or has nothing.
#![expect(clippy::panic, clippy::unwrap_used, reason = "a helper of tests fails the test that calls it")]

mod common;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::Output;
use std::sync::{Arc, Mutex};

use common::{Sandbox, said};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

const WEIGHTS: &str = "model.safetensors";

/// A hub on its own port, for the duration of the test.
struct FakeHub {
    address: String,
    asked: Arc<Mutex<Vec<String>>>,
}

/// How the hub serves the weights.
#[derive(Clone, Copy, PartialEq)]
enum Manner {
    Honest,
    /// Sends at most this many bytes per request, then closes the connection.
    CutsAfter(usize),
    /// Sends other bytes than announced.
    Lies,
    /// Sends more bytes than announced.
    Overflows,
    /// Has no weights.
    Without,
}

fn files(manner: Manner) -> BTreeMap<&'static str, Vec<u8>> {
    let weights: Vec<u8> = (0..300_000u32).map(|at| at.to_le_bytes()[0] ^ at.to_le_bytes()[1]).collect();
    let mut files = BTreeMap::from([
        ("README.md", b"not wanted".to_vec()),
        ("config.json", b"{}".to_vec()),
        ("tokenizer.json", b"{\"a\":1}".to_vec()),
        ("modules.json", b"[]".to_vec()),
        ("1_Pooling/config.json", b"{\"b\":2}".to_vec()),
    ]);
    if manner != Manner::Without {
        files.insert(WEIGHTS, weights);
    }
    files
}

fn hex(bytes: impl AsRef<[u8]>) -> String {
    bytes.as_ref().iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").unwrap();
        text
    })
}

fn listing(manner: Manner) -> Value {
    let siblings = files(manner).into_iter().map(|(name, bytes)| {
        if name == WEIGHTS {
            let sha256 = hex(Sha256::digest(&bytes));
            json!({ "rfilename": name, "size": bytes.len(), "blobId": "0", "lfs": { "sha256": sha256, "size": bytes.len() } })
        } else {
            let mut hash = sha1::Sha1::new();
            hash.update(format!("blob {}\0", bytes.len()));
            hash.update(&bytes);
            json!({ "rfilename": name, "size": bytes.len(), "blobId": hex(hash.finalize()) })
        }
    });
    json!({ "sha": "c0ffee", "siblings": siblings.collect::<Vec<_>>() })
}

impl FakeHub {
    fn start(manner: Manner) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let noted = Arc::clone(&asked);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                answer(&stream, manner, &noted);
            }
        });
        Self { address, asked }
    }

    fn asked_for(&self, part: &str) -> Vec<String> {
        self.asked.lock().unwrap().iter().filter(|line| line.contains(part)).cloned().collect()
    }
}

/// Answers one request and closes the connection.
fn answer(mut stream: &TcpStream, manner: Manner, noted: &Mutex<Vec<String>>) {
    let lines: Vec<String> =
        BufReader::new(stream).lines().map_while(Result::ok).take_while(|l| !l.is_empty()).collect();
    let path = lines[0].split(' ').nth(1).unwrap().to_owned();
    let range = lines.iter().find_map(|line| line.to_lowercase().strip_prefix("range: bytes=").map(str::to_owned));
    let from: usize = range.as_ref().map_or(0, |range| range.trim_end_matches('-').parse().unwrap());
    noted.lock().unwrap().push(format!("{path} from {from}"));
    let name = path.strip_prefix("/org/Model-X/resolve/c0ffee/");
    let body = match name {
        Some(name) => files(manner).remove(name),
        None => {
            path.starts_with("/api/models/org/Model-X/revision/main").then(|| listing(manner).to_string().into_bytes())
        }
    };
    let Some(mut body) = body else {
        stream.write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n").unwrap();
        return;
    };
    if manner == Manner::Lies && name == Some(WEIGHTS) {
        body[1_000] ^= 1;
    }
    if manner == Manner::Overflows && name == Some(WEIGHTS) {
        body.extend(std::iter::repeat_n(1, 100_000));
    }
    let rest = &body[from..];
    let status = if from > 0 { "206 Partial Content" } else { "200 OK" };
    let head = format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", rest.len());
    let sent = match manner {
        Manner::CutsAfter(most) if name == Some(WEIGHTS) => &rest[..rest.len().min(most)],
        _ => rest,
    };
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(sent));
}

fn pull(sandbox: &Sandbox, hub: &FakeHub) -> Output {
    sandbox.run(&["model", "pull", "org/Model-X", "--hub", &hub.address])
}

#[test]
fn a_model_is_fetched_whole_although_the_connection_breaks_again_and_again() {
    let (sandbox, hub) = (Sandbox::new(), FakeHub::start(Manner::CutsAfter(100_000)));
    let output = pull(&sandbox, &hub);
    assert!(output.status.success(), "{}", said(&output));
    let folder = sandbox.folder.path().join("data/models/model-x");
    for (name, bytes) in files(Manner::Honest) {
        let found = std::fs::read(folder.join(name)).ok();
        assert_eq!(found, (name != "README.md").then_some(bytes), "{name}");
    }
    let starts = hub.asked_for(WEIGHTS);
    assert!(starts.len() >= 3 && starts[0].ends_with("from 0") && !starts[1].ends_with("from 0"), "{starts:?}");
    let again = pull(&sandbox, &hub);
    assert!(!again.status.success() && said(&again).contains("exists already"), "{}", said(&again));
}

#[test]
fn a_pull_that_was_ended_goes_on_where_it_was() {
    let (sandbox, hub) = (Sandbox::new(), FakeHub::start(Manner::Honest));
    // The leftover of an earlier run: one complete file, half of another.
    let partial = sandbox.folder.path().join("data/models/.model-x.partial");
    std::fs::create_dir_all(&partial).unwrap();
    std::fs::write(partial.join(".commit"), "c0ffee").unwrap();
    std::fs::write(partial.join("config.json"), b"{}").unwrap();
    std::fs::write(partial.join("model.safetensors.part"), &files(Manner::Honest)[WEIGHTS][..150_000]).unwrap();
    let output = pull(&sandbox, &hub);
    assert!(output.status.success(), "{}", said(&output));
    assert_eq!(hub.asked_for(WEIGHTS).len(), 1);
    assert!(hub.asked_for(WEIGHTS)[0].ends_with("from 150000"));
    assert!(hub.asked_for("c0ffee/config.json").is_empty());
    assert!(!partial.exists());
}

#[test]
fn what_an_earlier_pull_left_of_another_commit_is_not_mixed_in() {
    for noted in [Some("badcafe"), None] {
        let (sandbox, hub) = (Sandbox::new(), FakeHub::start(Manner::Honest));
        let partial = sandbox.folder.path().join("data/models/.model-x.partial");
        std::fs::create_dir_all(partial.join("2_Dense")).unwrap();
        std::fs::write(partial.join("sentence_bert_config.json"), b"{}").unwrap();
        std::fs::write(partial.join("model.safetensors.part"), [0; 1_000]).unwrap();
        if let Some(commit) = noted {
            std::fs::write(partial.join(".commit"), commit).unwrap();
        }
        let output = pull(&sandbox, &hub);
        assert!(output.status.success(), "{}", said(&output));
        let mut found: Vec<String> = std::fs::read_dir(sandbox.folder.path().join("data/models/model-x"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        found.sort();
        assert_eq!(found, ["1_Pooling", "config.json", WEIGHTS, "modules.json", "tokenizer.json"]);
        assert!(hub.asked_for(WEIGHTS)[0].ends_with("from 0"));
    }
}

#[test]
fn bytes_beyond_what_was_promised_are_not_taken() {
    let (sandbox, hub) = (Sandbox::new(), FakeHub::start(Manner::Overflows));
    let output = pull(&sandbox, &hub);
    assert!(output.status.success(), "{}", said(&output));
    let found = std::fs::read(sandbox.folder.path().join("data/models/model-x").join(WEIGHTS)).unwrap();
    assert_eq!(found, files(Manner::Honest)[WEIGHTS]);
}

#[test]
fn a_file_with_a_wrong_checksum_is_deleted() {
    let (sandbox, hub) = (Sandbox::new(), FakeHub::start(Manner::Lies));
    let output = pull(&sandbox, &hub);
    assert!(!output.status.success() && said(&output).contains("checksum"), "{}", said(&output));
    assert!(!sandbox.folder.path().join("data/models/model-x").exists());
    assert!(!sandbox.folder.path().join("data/models/.model-x.partial/model.safetensors.part").exists());
}

#[test]
fn what_is_no_model_or_cannot_be_reached_is_said() {
    let sandbox = Sandbox::new();
    let without = FakeHub::start(Manner::Without);
    let output = pull(&sandbox, &without);
    assert!(!output.status.success() && said(&output).contains("has no model.safetensors"), "{}", said(&output));
    let output = sandbox.run(&["model", "pull", "org/other", "--hub", &without.address]);
    assert!(!output.status.success() && said(&output).contains("has no org/other"), "{}", said(&output));
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let output = sandbox.run(&["model", "pull", "org/Model-X", "--hub", &format!("http://{closed}")]);
    assert!(!output.status.success() && said(&output).contains("cannot be reached"), "{}", said(&output));
    let output = sandbox.run(&["model", "pull", "../x"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("all-MiniLM-L6-v2"), "{}", said(&output));
}

#[test]
fn a_check_says_what_the_embedder_says() {
    let sandbox = Sandbox::new();
    let fakes =
        sandbox.fakes("if [ \"$3\" = good ]; then echo fine; else echo 'kimberly-embedder: broken' >&2; exit 1; fi");
    let check =
        |folder: &str| sandbox.command(&["model", "check", folder]).env("KIMBERLY_BIN_DIR", &fakes).output().unwrap();
    assert!(check("good").status.success());
    let bad = check("bad");
    assert_eq!(bad.status.code(), Some(1));
    assert_eq!(said(&bad).trim(), "kimberly: broken");
}
