//! Key files survive a round trip; malformed ones are refused with the reason.

use proptest::prelude::*;

use super::*;
use crate::UserHash;

fn user(digit: &str) -> KeyName {
    KeyName::User(UserHash::parse(&digit.repeat(64)).unwrap())
}

fn wrapped(generation: u32) -> WrappedKey {
    let sealed = "A".repeat(96);
    WrappedKey { generation, by: KeyId::parse("0123456789abcdef").unwrap(), sealed: WrapBox::try_from(sealed).unwrap() }
}

fn of_user() -> KeyFile {
    let mut file = KeyFile::new(&user("a"), wrapped(1));
    file.attachments = Some(wrapped(1));
    file.sealing = vec![wrapped(1)];
    file
}

fn of_system() -> KeyFile {
    let mut file = KeyFile::new(&KeyName::System, wrapped(1));
    file.audit = Some(wrapped(1));
    file
}

fn refusal(file: &KeyFile, name: &KeyName) -> String {
    KeyFile::parse(name, &file.to_bytes().unwrap()).unwrap_err().to_string()
}

#[test]
fn each_kind_of_file_comes_back() {
    let queue = KeyFile::new(&KeyName::Queue, wrapped(1));
    let mut system = of_system();
    system.sealing = vec![wrapped(4)];
    for (name, file) in [(user("a"), of_user()), (KeyName::System, system), (KeyName::Queue, queue)] {
        let bytes = file.to_bytes().unwrap();
        assert!(bytes.ends_with(b"}\n"));
        assert_eq!(KeyFile::parse(&name, &bytes).unwrap(), file);
    }
}

#[test]
fn the_fullest_file_fits_its_bound() {
    let mut file = of_user();
    file.db.generation = u32::MAX - 1;
    file.next = Some(wrapped(u32::MAX));
    file.attachments = Some(wrapped(u32::MAX));
    file.sealing = (0..16).map(|back| wrapped(u32::MAX - 15 + back)).collect();
    let bytes = file.to_bytes().unwrap();
    assert_eq!(KeyFile::parse(&user("a"), &bytes).unwrap(), file);
    file.sealing.insert(0, wrapped(1));
    assert!(refusal(&file, &user("a")).contains("wrong numbers"), "17 generations were taken");
}

#[test]
fn a_moved_file_is_refused() {
    for elsewhere in [user("b"), KeyName::System, KeyName::Queue] {
        let error = refusal(&of_user(), &elsewhere);
        assert!(error.contains("was moved here") && error.contains("backup of data/keys"), "{error}");
    }
}

#[test]
fn other_versions_and_ciphers_are_refused_by_name() {
    let change = |from: &str, to: &str| {
        let text = String::from_utf8(of_user().to_bytes().unwrap()).unwrap();
        assert!(text.contains(from), "{text}");
        KeyFile::parse(&user("a"), text.replacen(from, to, 1).as_bytes()).unwrap_err().to_string()
    };
    assert!(change("\"v\":1", "\"v\":2").contains("its version is 2"));
    assert!(change("aes-256-cbc", "aes-128-cbc").contains("cipher"));
    assert!(change("\"v\":1", "\"v\":1,\"more\":0").contains("not a key file"));
    assert!(change("\"v\":1", "\"v\":1,\"v\":1").contains("not a key file"));
    assert!(change("0123456789abcdef", "0123456789ABCDEF").contains("not a key file"));
}

#[test]
fn generations_are_numbered_from_one_and_rise() {
    let with = |change: fn(&mut KeyFile)| {
        let mut file = of_user();
        change(&mut file);
        KeyFile::parse(&user("a"), &file.to_bytes().unwrap())
    };
    assert!(with(|file| file.next = Some(wrapped(2))).is_ok());
    assert!(with(|file| file.next = Some(wrapped(1))).is_err());
    assert!(with(|file| file.next = Some(wrapped(3))).is_err());
    assert!(with(|file| file.db.generation = 0).is_err());
    assert!(with(|file| (file.db.generation, file.next) = (u32::MAX, Some(wrapped(1)))).is_err());
    assert!(with(|file| file.sealing = vec![wrapped(1), wrapped(3)]).is_ok());
    assert!(with(|file| file.sealing = vec![wrapped(1), wrapped(1)]).is_err());
    assert!(with(|file| file.sealing = vec![wrapped(2), wrapped(1)]).is_err());
    assert!(with(|file| file.sealing = vec![wrapped(0)]).is_err());
    assert!(with(|file| file.attachments = Some(wrapped(0))).is_err());
}

#[test]
fn each_kind_of_file_has_its_keys_and_no_others() {
    let with = |mut file: KeyFile, name: &KeyName, change: fn(&mut KeyFile)| {
        change(&mut file);
        KeyFile::parse(name, &file.to_bytes().unwrap())
    };
    assert!(with(of_user(), &user("a"), |file| file.sealing.clear()).is_err());
    assert!(with(of_user(), &user("a"), |file| file.attachments = None).is_err());
    assert!(with(of_user(), &user("a"), |file| file.audit = Some(wrapped(1))).is_err());
    assert!(with(of_system(), &KeyName::System, |file| file.audit = None).is_err());
    assert!(with(of_system(), &KeyName::System, |file| file.sealing = vec![wrapped(1), wrapped(2)]).is_err());
    let queue = || KeyFile::new(&KeyName::Queue, wrapped(1));
    assert!(with(queue(), &KeyName::Queue, |_| {}).is_ok());
    assert!(with(queue(), &KeyName::Queue, |file| file.sealing = vec![wrapped(1)]).is_err());
}

#[test]
fn the_length_is_bounded_before_anything_is_read() {
    let mut bytes = of_user().to_bytes().unwrap();
    bytes.resize(MAX_KEY_FILE_BYTES, b' ');
    assert!(KeyFile::parse(&user("a"), &bytes).is_ok());
    bytes.push(b' ');
    assert!(KeyFile::parse(&user("a"), &bytes).unwrap_err().to_string().contains("longer than 4096"));
}

#[test]
fn an_error_repeats_nothing_of_the_file() {
    let error = KeyFile::parse(&user("a"), br#"{"v":"planted-words"}"#).unwrap_err();
    assert!(!format!("{error} {error:?}").contains("planted"), "{error}");
}

proptest! {
    #[test]
    fn no_bytes_break_the_parser(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
        let _ = KeyFile::parse(&user("a"), &bytes);
    }

    #[test]
    fn no_damage_breaks_the_parser_or_makes_another_file(at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let file = of_user();
        let mut bytes = file.to_bytes().unwrap();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        if let Ok(read) = KeyFile::parse(&user("a"), &bytes) {
            // Differences inside wrapped keys are detected when they are opened.
            prop_assert_eq!((read.of, read.name, read.cipher), (file.of, file.name, file.cipher));
        }
    }

    #[test]
    fn any_file_of_a_user_comes_back(
        db in 1..u32::MAX,
        changing in any::<bool>(),
        first in 1..1_000_000_u32,
        count in 1..=16_u32,
        seed in proptest::collection::vec(any::<u8>(), 72),
    ) {
        let key = |generation| {
            use base64::Engine as _;
            let sealed = base64::engine::general_purpose::STANDARD.encode(&seed);
            WrappedKey { sealed: WrapBox::try_from(sealed).unwrap(), ..wrapped(generation) }
        };
        let mut file = KeyFile::new(&user("c"), key(db));
        file.next = changing.then(|| key(db + 1));
        file.attachments = Some(key(first));
        file.sealing = (first..first + count).map(key).collect();
        prop_assert_eq!(KeyFile::parse(&user("c"), &file.to_bytes().unwrap()).unwrap(), file);
    }
}
