//! Keys of a data folder: first and later starts, users, rotation, refusals.

mod elsewhere;
mod rotation;
mod starts;
mod users;

use std::fs;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use super::*;
use crate::{Environment, FileKeyStore, KeyId, KeySource, KeySources, Ring, RingName};

/// A data folder beside a folder of rings.
pub(crate) struct Folders {
    root: tempfile::TempDir,
}

impl Folders {
    pub(crate) fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("data")).unwrap();
        Self { root }
    }

    pub(crate) fn root(&self) -> &Path {
        self.root.path()
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.root.path().join("data")
    }

    pub(crate) fn ring(&self, ring: RingName) -> PathBuf {
        self.root.path().join(format!("rings/{ring}.key"))
    }

    pub(crate) fn sources(&self) -> KeySources {
        sources(self.root.path())
    }

    pub(crate) fn open(&self) -> Result<Keys, KeyError> {
        Keys::open(&self.data(), &self.sources(), Loads::Both)
    }

    pub(crate) fn store(&self) -> FileKeyStore {
        FileKeyStore::new(self.data().join("keys"))
    }

    /// Adds a new key to a ring's file, as a rotation does.
    fn add_key(&self, ring: RingName) -> KeyId {
        let (added, text) = Ring::generate().unwrap();
        let path = self.ring(ring);
        let content = fs::read_to_string(&path).unwrap() + &text;
        fs::write(&path, content).unwrap();
        added.current().clone()
    }
}

/// Rings in files of `rings` below a folder.
pub(crate) fn sources(root: &Path) -> KeySources {
    let environment = Environment::of(std::collections::BTreeMap::new());
    KeySources { folder: Some(root.join("rings")), environment, ..KeySources::default() }
}

pub(crate) fn hash(digit: char) -> String {
    digit.to_string().repeat(64)
}

fn write_private(path: &Path, text: &str) {
    use std::io::Write as _;
    let open = fs::OpenOptions::new().create(true).truncate(true).write(true).mode(0o600).open(path);
    open.unwrap().write_all(text.as_bytes()).unwrap();
}

/// A text that is equal only for equal keys of a user.
fn shown(keys: &UserKeys) -> String {
    let sealer = keys.sealer.as_ref().map(|sealer| sealer.attachments(sealer.generation()).unwrap().unwrap());
    let sealer = sealer.map(|key| key.object_name("x"));
    format!("{} {} {sealer:?}", keys.db.pragma().as_str(), keys.attachments.object_name("x"))
}

#[test]
fn without_encryption_there_are_no_keys_and_none_is_made() {
    let keys = Keys::off();
    assert!(!keys.are_on());
    assert!(keys.system().unwrap().is_none() && keys.queue().unwrap().is_none());
    assert!(keys.user(&hash('a')).unwrap().is_none());
    assert_eq!(keys.make_user(&hash('a')).unwrap_err(), KeyError::Off);
    assert_eq!(keys.destroy_user(&hash('a')).unwrap_err(), KeyError::Off);
    assert_eq!(keys.rewrap_some(None, 10, RingName::Master).unwrap_err(), KeyError::Off);
    assert!(keys.survey().unwrap().is_none() && keys.rings().is_empty() && !keys.refresh().unwrap());
    assert!(keys.internal_token().is_none() && keys.signer().is_none() && keys.data_id().is_none());
    assert!(keys.admits_process(None) && keys.admits_process(Some(b"x")));
    keys.reload().unwrap();
    assert_eq!(keys.pseudonym("ada"), Keys::off().pseudonym("ada"));
    assert_ne!(keys.pseudonym("ada"), keys.pseudonym("bob"));
}

#[test]
fn tokens_pseudonyms_and_signatures_stay_and_differ_between_data_folders() {
    let (one, other) = (Folders::new(), Folders::new());
    let facts = |folders: &Folders| {
        let keys = folders.open().unwrap();
        let signer = keys.signer().unwrap();
        let token = keys.internal_token().unwrap();
        assert_eq!(token.len(), 64);
        assert!(keys.admits_process(Some(token.as_bytes())));
        let longer = format!("{}0", token.as_str());
        let changed = token.replace(|digit: char| digit.is_ascii_digit(), "x");
        for wrong in [None, Some(""), Some(&token[1..]), Some(longer.as_str()), Some(changed.as_str())] {
            assert!(!keys.admits_process(wrong.map(str::as_bytes)), "{wrong:?}");
        }
        assert!(crate::verify(&signer.public_key(), b"note", &signer.sign(b"note")));
        (token.to_string(), keys.pseudonym("ada"), signer.public_key(), keys.data_id().unwrap().to_owned())
    };
    let (first, second, elsewhere) = (facts(&one), facts(&one), facts(&other));
    assert!(!one.open().unwrap().admits_process(Some(elsewhere.0.as_bytes())));
    assert_eq!(first, second);
    assert!(first.0 != elsewhere.0 && first.1 != elsewhere.1 && first.2 != elsewhere.2 && first.3 != elsewhere.3);
}

#[test]
fn no_debug_output_shows_a_key() {
    let folders = Folders::new();
    let keys = folders.open().unwrap();
    let user = keys.make_user(&hash('a')).unwrap();
    let (system, ring) = (keys.system().unwrap().unwrap(), Ring::generate().unwrap().0);
    let shown = format!(
        "{keys:?} {keys:#?} {user:?} {user:#?} {system:?} {ring:?} {:?} {:?} {:?} {:?}",
        keys.signer(),
        Secret32::copied_from(&[0xa5; 32]),
        keys.0.as_ref().unwrap().file(&KeyName::System).unwrap(),
        folders.sources()
    );
    for secret in [system.secret(), user.db.secret(), user.attachments.content(), ring.current_key().1] {
        assert_hidden(shown.as_bytes(), secret.expose());
    }
    assert_hidden(shown.as_bytes(), &[0xa5; 32]);
}

#[test]
fn nothing_in_the_data_folder_holds_a_key_in_the_clear() {
    let folders = Folders::new();
    let keys = folders.open().unwrap();
    let user = keys.make_user(&hash('a')).unwrap();
    let ring = Ring::parse(&fs::read_to_string(folders.ring(RingName::Master)).unwrap()).unwrap();
    let system = keys.system().unwrap().unwrap();
    let files = files(&folders.data());
    assert!(files.len() >= 4, "{files:?}");
    for file in files {
        let bytes = fs::read(&file).unwrap();
        for secret in [system.secret(), user.db.secret(), ring.current_key().1] {
            assert_hidden(&bytes, secret.expose());
        }
    }
}

/// Fails if the bytes contain a secret raw, in hexadecimal, in base64 or as a list of numbers.
fn assert_hidden(bytes: &[u8], secret: &[u8; 32]) {
    use base64::Engine as _;
    let base64 = base64::engine::general_purpose::STANDARD.encode(secret);
    let listed = format!("{secret:?}");
    let spellings = [secret.to_vec(), crate::hex::hex(secret).into_bytes(), base64.into_bytes(), listed.into_bytes()];
    for spelling in spellings {
        // A quarter is enough to find a truncated one; the brackets of a list are left out.
        let part = &spelling[1..spelling.len() / 4];
        assert!(!bytes.windows(part.len()).any(|window| window == part), "a key shows");
    }
}

/// Every file below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found
}
