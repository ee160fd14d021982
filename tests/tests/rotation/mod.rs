//! Rotation of rings through the real processes: online, resumable after kills, and reported.
#![expect(clippy::expect_used, reason = "a helper that fails should stop its test")]

mod killed;
mod load;
mod told;

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use kimberly_crypto::{Environment, KeyId, KeySources, Keys, Loads, RingLocation, RingName, Survey, survey};
use kimberly_proto::v1 as pb;
use kimberly_tests::binaries::program;
use kimberly_tests::{Clients, System, eventually};

/// `kimberly` with arguments, on the machine of a system.
pub(crate) fn command(system: &System, args: &[&str]) -> Command {
    let mut command = Command::new(program());
    command
        .env_clear()
        .env("KIMBERLY_SERVER", format!("http://{}", system.api_address()))
        .env("KIMBERLY_DATA_DIR", system.data_dir())
        .env("KIMBERLY_KEYS__FOLDER", system.keys_dir())
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

pub(crate) fn run(system: &System, args: &[&str]) -> Output {
    command(system, args).output().expect("the command runs")
}

/// Runs the command to success and returns its output.
pub(crate) fn said(system: &System, args: &[&str]) -> String {
    let output = run(system, args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("the command prints text")
}

pub(crate) fn sources(system: &System) -> KeySources {
    KeySources {
        folder: Some(system.keys_dir()),
        environment: Environment::of(std::collections::BTreeMap::new()),
        ..KeySources::default()
    }
}

pub(crate) fn location(system: &System, ring: RingName) -> RingLocation {
    let [master, sensitive] = sources(system).rings(&system.data_dir()).expect("places").expect("rings");
    if ring == RingName::Master { master } else { sensitive }
}

pub(crate) fn ids(system: &System, ring: RingName) -> Vec<KeyId> {
    location(system, ring).look().expect("a ring").expect("a ring")
}

pub(crate) fn surveyed(system: &System) -> Survey {
    survey(&system.data_dir()).expect("key files can be read")
}

/// A text per user that is equal only for equal keys, opened by this process from the disk.
pub(crate) fn opened(system: &System, users: &[String]) -> Vec<String> {
    let keys = Keys::open(&system.data_dir(), &sources(system), Loads::Both).expect("the keys open");
    let of = |user: &String| {
        let hash = kimberly_core::UserId::parse(user).expect("a user").folder_name();
        let user = keys.user(&hash).expect("the keys of a user open").expect("the user has keys");
        let sealer = user.sealer.expect("both rings are loaded");
        let kept = sealer.attachments(sealer.generation()).expect("a key").expect("a key");
        format!("{} {} {}", user.db.pragma().as_str(), user.attachments.object_name("x"), kept.object_name("x"))
    };
    users.iter().map(of).collect()
}

/// The subjects of one action in the system's audit, newest first.
pub(crate) async fn audited(clients: &Clients, action: &str) -> Vec<String> {
    let request = pb::ListAuditEntriesRequest { action: action.to_owned(), page_size: 1000, ..Default::default() };
    let found = clients.clone().audit.list_audit_entries(request).await.expect("the audit is listed").into_inner();
    found.entries.into_iter().map(|entry| entry.subject).collect()
}

/// Waits until the worker reported that everything is wrapped by the current key of a ring.
pub(crate) async fn rotated(system: &System, clients: &Clients, ring: RingName) -> KeyId {
    let current = ids(system, ring).pop().expect("a ring has a key");
    let subject = format!("{ring}/{current}");
    eventually("a rotation is done and reported", || async {
        audited(clients, "ring.rotated").await.contains(&subject).then_some(())
    })
    .await;
    assert_eq!(surveyed(system).left(ring, &current), 0);
    current
}

pub(crate) fn ring_file(system: &System, ring: RingName) -> PathBuf {
    system.keys_dir().join(format!("{ring}.key"))
}
