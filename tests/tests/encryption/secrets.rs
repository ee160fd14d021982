//! Keys never appear in logs at any level, in process lists, or in responses.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use kimberly_crypto::{KeySources, Keys, Loads};
use kimberly_proto::v1 as pb;
use kimberly_tests::System;
use kimberly_tests::process::Process;

use super::plant;

/// Including crates that are normally quiet.
const EVERYTHING: &str =
    "trace,sqlx=trace,h2=trace,hyper=trace,hyper_util=trace,tonic=trace,tower=trace,opentelemetry=trace";

/// Representations of a 32-byte secret.
struct Secret {
    what: String,
    forms: Vec<Vec<u8>>,
}

impl Secret {
    fn of(what: impl Into<String>, bytes: &[u8]) -> Self {
        let hex = to_hex(bytes);
        let base64 = BASE64.encode(bytes);
        // Half of it is enough; base64 may differ at its ends.
        let forms = vec![
            hex.as_bytes()[..32].to_vec(),
            hex.to_uppercase().as_bytes()[..32].to_vec(),
            base64.as_bytes()[..40].to_vec(),
            base64.replace('+', "-").replace('/', "_").as_bytes()[..40].to_vec(),
            bytes[..16].to_vec(),
            format!("{:?}", &bytes[..8]).trim_matches(['[', ']']).as_bytes().to_vec(),
        ];
        Self { what: what.into(), forms }
    }

    fn stands_in(&self, text: &[u8]) -> bool {
        self.forms.iter().any(|form| text.windows(form.len()).any(|window| window == form))
    }
}

fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
}

fn from_hex(text: &str) -> Vec<u8> {
    (0..text.len() / 2).map(|n| u8::from_str_radix(&text[2 * n..2 * n + 2], 16).expect("hexadecimal digits")).collect()
}

/// All keys of a data folder: of both rings, of databases and users, and the internal token.
fn secrets(system: &System, users: &[&str]) -> Vec<Secret> {
    let mut all = Vec::new();
    for ring in ["master", "sensitive"] {
        let text = std::fs::read_to_string(system.keys_dir().join(format!("{ring}.key"))).expect("a ring");
        let key = text.lines().find(|line| !line.starts_with('#')).expect("a ring holds a key");
        all.push(Secret::of(format!("the {ring} key"), &BASE64.decode(key.trim()).expect("base64")));
    }
    let sources = KeySources { folder: Some(system.keys_dir()), ..KeySources::default() };
    let keys = Keys::open(&system.data_dir(), &sources, Loads::Both).expect("the keys open");
    let pragma = |key: kimberly_crypto::DbKey| from_hex(key.pragma().trim_matches(['"', 'x', '\'']));
    all.push(Secret::of("the key of system.db", &pragma(keys.system().expect("a key").expect("a key"))));
    all.push(Secret::of("the key of queue.db", &pragma(keys.queue().expect("a key").expect("a key"))));
    for user in users {
        let hash = kimberly_core::UserId::parse(user).expect("a user").folder_name();
        let key = keys.user(&hash).expect("keys open").expect("the user has keys").db;
        all.push(Secret::of(format!("the key of {user}"), &pragma(key)));
    }
    all.push(Secret::of("the internal token", &from_hex(&keys.internal_token().expect("a token"))));
    all
}

fn assert_silent(source: &str, text: &[u8], secrets: &[Secret]) {
    for secret in secrets {
        assert!(!secret.stands_in(text), "{} stands in {source}", secret.what);
    }
}

#[test]
fn the_test_finds_a_key_however_it_is_written() {
    let bytes: Vec<u8> = (0..32).map(|n| n * 7 + 3).collect();
    let secret = Secret::of("a key", &bytes);
    let hex = to_hex(&bytes);
    for text in [hex.clone(), hex.to_uppercase(), BASE64.encode(&bytes), format!("{bytes:?}")] {
        assert!(secret.stands_in(format!("before {text} after").as_bytes()), "{text}");
    }
    assert!(secret.stands_in(&[&[1], &bytes[..], &[2]].concat()));
    assert!(!secret.stands_in(b"nothing of it"));
}

#[tokio::test]
async fn no_key_is_logged_at_trace_or_shown_among_processes_or_in_answers() {
    let mut system = System::start_with(&[("KIMBERLY_LOG", EVERYTHING)]).await;
    let mut answers = Vec::new();
    for name in ["ana", "ben"] {
        let mut user = system.user(name);
        plant(&mut user).await;
        answers.push(format!("{:?} {:?}", user.recall("xylothumb").await, user.metrics().await));
    }
    // A vault that does not open is logged too.
    let hash = kimberly_core::UserId::parse("ben").expect("a user").folder_name();
    let vault = system.data_dir().join("vaults").join(&hash[..2]).join(&hash).join("memory.db");
    for process in [&mut system.api, &mut system.worker, &mut system.embedder] {
        assert!(process.stop().success());
    }
    let whole = std::fs::read(&vault).expect("a vault");
    std::fs::write(&vault, vec![7; whole.len()]).expect("a vault can be damaged");
    for process in [&mut system.api, &mut system.worker, &mut system.embedder] {
        process.start_again();
    }
    system.wait_until_serving().await;
    let request = pb::QueryMemoriesRequest {
        user_id: "ben".to_owned(),
        query: "xylothumb".to_owned(),
        ..pb::QueryMemoriesRequest::default()
    };
    let refused = system.clients().memories.query_memories(request).await.expect_err("it is damaged");
    answers.push(format!("{refused:?}"));
    let all = secrets(&system, &["ana", "ben"]);
    assert_eq!(all.len(), 7);
    assert_silent("an answer", answers.concat().as_bytes(), &all);
    for process in [&system.api, &system.worker, &system.embedder] {
        assert_eq!(core_limit(process), "0 0", "{} may leave its memory in a file", process.name());
        for shown in ["cmdline", "comm", "status"] {
            let text = std::fs::read(Path::new("/proc").join(process.pid().to_string()).join(shown)).expect("it runs");
            assert_silent(shown, &text, &all);
        }
        let log = process.log();
        assert!(log.contains("TRACE"), "{} is talkative", process.name());
        assert_silent("a log", log.as_bytes(), &all);
    }
}

/// The soft and the hard limit on core dumps.
fn core_limit(process: &Process) -> String {
    let limits = std::fs::read_to_string(format!("/proc/{}/limits", process.pid())).expect("it runs");
    let line = limits.lines().find_map(|line| line.strip_prefix("Max core file size")).expect("a limit on core dumps");
    line.split_whitespace().take(2).collect::<Vec<_>>().join(" ")
}
