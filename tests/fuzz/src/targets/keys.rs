//! Rings, key files and sealed data: files that may have been tampered with.

use std::sync::OnceLock;

use kimberly_crypto::{
    Environment, KeyFile, KeyName, KeySource, KeySources, Keys, Loads, Ring, Sealer, UserHash, verify,
};
use tempfile::TempDir;

use super::{seeds, text};
use crate::Target;

pub(super) const TARGETS: &[Target] = &[
    Target { name: "ring", about: "a ring of keys: file, variable, credential, command", seeds: rings, run: ring },
    Target { name: "key_source", about: "where a ring comes from", seeds: sources, run: source },
    Target { name: "key_file", about: "a file of wrapped keys", seeds: key_files, run: key_file },
    Target { name: "sealed_field", about: "a sealed field of a vault", seeds: sealed, run: open_sealed },
    Target { name: "signature", about: "a signature of the audit", seeds: signatures, run: signature },
];

const USER: &str = "3f9a000000000000000000000000000000000000000000000000000000000000";
const ROW: &[u8] = &[7; 16];

fn rings() -> Vec<Vec<u8>> {
    let two = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=  # first\nICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8=\n";
    seeds(&[two, "# nothing\n"])
}

fn ring(bytes: &[u8]) {
    if let Some(Ok(ring)) = text(bytes).map(Ring::parse) {
        assert!(ring.ids().any(|id| id == ring.current()), "the current key is in the ring");
    }
}

fn sources() -> Vec<Vec<u8>> {
    seeds(&["file:~/.kimberly/master.key", "env:KIMBERLY_MASTER", "credential:master", "command:/usr/bin/ring"])
}

fn source(bytes: &[u8]) {
    if let Some(Ok(source)) = text(bytes).map(str::parse::<KeySource>) {
        let again: KeySource = source.to_string().parse().expect("its own text is read");
        assert_eq!(again, source);
    }
}

/// Real keys in a separate folder.
struct Made {
    folder: TempDir,
    sealer: Sealer,
}

fn made() -> &'static Made {
    static MADE: OnceLock<Made> = OnceLock::new();
    MADE.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        let data = folder.path().join("data");
        std::fs::create_dir(&data).expect("a data folder");
        let sources = KeySources {
            folder: Some(folder.path().join("rings")),
            master: None,
            sensitive: None,
            environment: Environment::default(),
        };
        let keys = Keys::open(&data, &sources, Loads::Both).expect("keys");
        let user = keys.make_user(USER).expect("keys of a user");
        Made { folder, sealer: user.sealer.expect("a sealer") }
    })
}

fn name() -> KeyName {
    KeyName::User(UserHash::parse(USER).expect("a hash"))
}

fn key_files() -> Vec<Vec<u8>> {
    let path = made().folder.path().join("data/keys/users").join(&USER[..2]).join(format!("{USER}.key"));
    vec![std::fs::read(path).expect("the key file of a user")]
}

fn key_file(bytes: &[u8]) {
    if let Ok(file) = KeyFile::parse(&name(), bytes) {
        let again = file.to_bytes().expect("what was read can be written");
        KeyFile::parse(&name(), &again).expect("what was written is read");
    }
}

fn sealed() -> Vec<Vec<u8>> {
    let seal = |text: &[u8]| made().sealer.seal("ana", ROW, "content", text).expect("sealed");
    vec![seal(b"a secret"), seal(b"")]
}

fn open_sealed(bytes: &[u8]) {
    static SEALED: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    if made().sealer.open("ana", ROW, "content", bytes).is_ok() {
        assert!(SEALED.get_or_init(sealed).iter().any(|one| one.len() == bytes.len()), "forged");
    }
    assert!(made().sealer.open("bob", ROW, "content", bytes).is_err(), "opened for another user");
}

fn signatures() -> Vec<Vec<u8>> {
    vec![vec![1; 32 + 64 + 5], Vec::new()]
}

/// A public key, a signature and a message, concatenated.
fn signature(bytes: &[u8]) {
    let (key, rest) = bytes.split_at(bytes.len().min(32));
    let (signature, message) = rest.split_at(rest.len().min(64));
    let _good = verify(key, message, signature);
}
