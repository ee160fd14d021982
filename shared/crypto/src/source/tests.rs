//! Sources are parsed strictly; each kind yields its ring or says what is missing.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use proptest::prelude::*;

use super::*;
use crate::{Ring, RingError, RingName};

const ID: &str = "0011223344556677";

fn environment(variables: &[(&str, &str)]) -> Environment {
    Environment::of(variables.iter().map(|(name, value)| ((*name).to_owned(), OsString::from(value))).collect())
}

fn sources(master: &str, variables: &[(&str, &str)]) -> KeySources {
    KeySources {
        folder: None,
        master: Some(master.parse().unwrap()),
        sensitive: Some("env:OTHER".parse().unwrap()),
        environment: environment(variables),
    }
}

fn load(master: &str, variables: &[(&str, &str)]) -> Result<Option<Ring>, KeyError> {
    let data = tempfile::tempdir().unwrap();
    sources(master, variables).locations(ID, data.path()).unwrap().master.load()
}

fn ring_file(path: &Path, mode: u32) -> String {
    let (ring, text) = Ring::generate().unwrap();
    fs::write(path, text.as_bytes()).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    ring.current().to_string()
}

#[test]
fn each_kind_is_read_and_written_back() {
    for text in
        ["file:/a b/c", "file:~/keys/m", "file:c:d", "env:MASTER_KEY", "env:_a1", "credential:m.key", "command:/bin/x"]
    {
        assert_eq!(text.parse::<KeySource>().unwrap().to_string(), text);
    }
    let refused = [
        "",
        "file",
        "file:",
        "/etc/key",
        "env:",
        "env:1A",
        "env:A-B",
        "env:A B",
        "credential:a/b",
        "credential:..",
        "credential:.",
        "command:x",
        "command:",
        "vault:x",
        "File:/x",
        "file:/a\nb",
        "file:/a\0b",
    ];
    for text in refused {
        let error = text.parse::<KeySource>().unwrap_err().to_string();
        assert!(error.contains("file:<path>, env:<NAME>, credential:<name> or command:"), "{text:?}: {error}");
    }
    assert!(format!("credential:{}", "x".repeat(255)).parse::<KeySource>().is_ok());
    assert!(format!("credential:{}", "x".repeat(256)).parse::<KeySource>().is_err());
    assert!(format!("file:{}", "x".repeat(4096)).parse::<KeySource>().is_ok());
    assert!(format!("file:{}", "x".repeat(4097)).parse::<KeySource>().is_err());
}

#[test]
fn a_key_pasted_instead_of_a_source_is_not_repeated() {
    let (_, text) = Ring::generate().unwrap();
    for wrong in [text.trim().to_owned(), format!("env:{}", text.trim()), format!("key:{}", text.trim())] {
        if let Err(error) = wrong.parse::<KeySource>() {
            assert!(!format!("{error} {error:?}").contains(text.trim()), "{error}");
        }
    }
}

#[test]
fn a_file_is_taken_from_its_owner_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("master.key");
    let source = format!("file:{}", path.display());
    assert!(load(&source, &[]).unwrap().is_none(), "a file that is not there is no failure");
    let id = ring_file(&path, 0o600);
    assert_eq!(load(&source, &[]).unwrap().unwrap().current().as_str(), id);
    for mode in [0o400, 0o700] {
        ring_file(&path, 0o600);
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        assert!(load(&source, &[]).is_ok(), "mode {mode:o} was refused");
    }
    for mode in [0o604, 0o640, 0o610, 0o602, 0o644] {
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        let error = load(&source, &[]).unwrap_err().to_string();
        assert!(error.contains(&format!("mode {mode:o}")) && error.contains("chmod 600"), "{error}");
    }
    let error = load(&format!("file:{}", folder.path().display()), &[]).unwrap_err().to_string();
    assert!(error.contains("is not a file"), "{error}");
}

#[test]
fn what_is_no_ring_is_named_with_its_location() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m");
    for (bytes, problem) in [
        (vec![0xff, 0xfe], RingError::NotText),
        (vec![b'#'; 4096], RingError::Empty),
        (vec![b'#'; 4097], RingError::TooLong),
        (b"x".to_vec(), RingError::NotAKey { number: 1 }),
    ] {
        fs::write(&path, bytes).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        let error = load(&format!("file:{}", path.display()), &[]).unwrap_err();
        let location = path.display().to_string();
        assert_eq!(error, KeyError::Ring { ring: RingName::Master, location, problem });
        assert!(error.to_string().starts_with("keys.master: /"), "{error}");
    }
}

#[test]
fn a_variable_holds_the_ring_itself() {
    let (ring, text) = Ring::generate().unwrap();
    assert_eq!(load("env:KEY", &[("KEY", &text)]).unwrap().unwrap().current(), ring.current());
    for variables in [[("OTHER", "x")], [("KEY", "")]] {
        let error = load("env:KEY", &variables).unwrap_err().to_string();
        assert!(error.contains("keys.master") && error.contains("KEY is not set"), "{error}");
    }
    let error = load("env:KEY", &[("KEY", "planted-words")]).unwrap_err().to_string();
    assert!(error.contains("env:KEY") && !error.contains("planted"), "{error}");
}

#[test]
fn a_credential_is_a_file_of_the_folder_that_systemd_names() {
    let folder = tempfile::tempdir().unwrap();
    let id = ring_file(&folder.path().join("master"), 0o440);
    let directory = folder.path().to_str().unwrap();
    let variables = [("CREDENTIALS_DIRECTORY", directory)];
    assert_eq!(load("credential:master", &variables).unwrap().unwrap().current().as_str(), id);
    let error = load("credential:other", &variables).unwrap_err().to_string();
    assert!(error.contains("credential other is not in") && error.contains("LoadCredential="), "{error}");
    let error = load("credential:master", &[]).unwrap_err().to_string();
    assert!(error.contains("CREDENTIALS_DIRECTORY is not set"), "{error}");
}

#[test]
fn a_command_prints_the_ring() {
    // `echo` prints its only argument, the ring's name, which is not a key: so the command ran and its output was
    // read.
    let error = load("command:/bin/echo", &[]).unwrap_err();
    let location = "command:/bin/echo".to_owned();
    assert_eq!(error, KeyError::Ring { ring: RingName::Master, location, problem: RingError::NotAKey { number: 1 } });
}

#[test]
fn files_are_in_the_home_of_the_account_unless_configured_otherwise() {
    let data = tempfile::tempdir().unwrap();
    let location = |folder: Option<&str>, variables: &[(&str, &str)]| {
        let sources = KeySources {
            folder: folder.map(PathBuf::from),
            environment: environment(variables),
            ..KeySources::default()
        };
        sources
            .locations(ID, data.path())
            .map(|locations| (locations.master.to_string(), locations.sensitive.to_string()))
    };
    let both = |folder: &str| (format!("{folder}/master.key"), format!("{folder}/sensitive.key"));
    let home = [("HOME", "/home/ada")];
    assert_eq!(location(None, &home).unwrap(), both("/home/ada/.kimberly/keys/0011223344556677"));
    assert_eq!(location(Some("/keys"), &home).unwrap(), both("/keys"));
    assert_eq!(location(Some("/keys"), &[]).unwrap(), both("/keys"));
    assert_eq!(location(Some("~/keys"), &home).unwrap(), both("/home/ada/keys"));
    for variables in [&[][..], &[("HOME", "")], &[("HOME", "relative")]] {
        let error = location(None, variables).unwrap_err().to_string();
        assert!(error.contains("HOME") && error.contains("keys.folder") && error.contains("keys.master"), "{error}");
    }
    assert!(location(Some("~/keys"), &[]).unwrap_err().to_string().contains("HOME is not set"));
    let all_elsewhere = sources("env:KEY", &[]);
    assert!(all_elsewhere.locations(ID, data.path()).unwrap().folder.is_none(), "no folder is needed where no file is");
}

#[test]
fn no_way_into_the_data_folder_is_taken() {
    let root = tempfile::tempdir().unwrap();
    let (data, link, dangling) = (root.path().join("data"), root.path().join("link"), root.path().join("dangling"));
    fs::create_dir_all(data.join("keys")).unwrap();
    symlink(&data, &link).unwrap();
    symlink(data.join("not/there"), &dangling).unwrap();
    let location = |path: &Path| sources(&format!("file:{}", path.display()), &[]).locations(ID, &data).map(|_| ());
    let inside = [
        data.join("m"),
        data.join("keys/m"),
        data.join("new/m"),
        link.join("m"),
        link.join("new/m"),
        data.join("keys/../m"),
    ];
    for path in inside {
        let error = location(&path).unwrap_err().to_string();
        assert!(error.contains("in the data folder") && error.contains("keys.folder"), "{error}");
    }
    assert!(location(&dangling).is_err(), "a link to nothing was taken");
    for path in [root.path().join("m"), root.path().join("data2/m"), data.join("../m")] {
        location(&path).unwrap();
    }
    assert!(sources("env:KEY", &[]).locations(ID, &data).is_ok());
    let by_folder =
        KeySources { folder: Some(data.join("ring")), environment: environment(&[]), ..KeySources::default() };
    assert!(by_folder.locations(ID, &data).is_err());
}

#[test]
fn nothing_of_the_environment_is_shown() {
    let environment = Environment::of(BTreeMap::from([("KEY".to_owned(), OsString::from("planted-words"))]));
    let shown =
        format!("{environment:?} {:?}", KeySources { environment: environment.clone(), ..KeySources::default() });
    assert!(!shown.contains("planted"), "{shown}");
}

proptest! {
    #[test]
    fn no_text_breaks_the_parser(text in any::<String>()) {
        if let Ok(source) = text.parse::<KeySource>() {
            prop_assert_eq!(source.to_string(), text);
        }
    }

    #[test]
    fn sources_come_back(kind in "file|env|credential", rest in "[A-Za-z_][A-Za-z0-9_]{0,40}") {
        let text = format!("{kind}:{rest}");
        prop_assert_eq!(text.parse::<KeySource>().unwrap().to_string(), text);
    }
}
