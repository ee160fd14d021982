//! A first start creates keys outside the data; later starts refuse a mismatch and say what to do.

use std::os::unix::fs::PermissionsExt as _;

use super::*;

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

/// The error of a start.
fn refusal(folders: &Folders, loads: Loads) -> String {
    Keys::open(&folders.data(), &folders.sources(), loads).unwrap_err().to_string()
}

#[test]
fn the_first_start_makes_private_rings_outside_the_data_and_says_so() {
    let folders = Folders::new();
    let keys = folders.open().unwrap();
    for ring in [RingName::Master, RingName::Sensitive] {
        let path = folders.ring(ring);
        assert!(!path.starts_with(folders.data()));
        assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
        assert!(keys.created().unwrap().contains(path.to_str().unwrap()));
        assert_eq!(Ring::parse(&fs::read_to_string(&path).unwrap()).unwrap().ids().count(), 1);
    }
    let told = keys.created().unwrap();
    assert!(told.contains("store a copy separate from the data") && !told.contains('\n'), "{told}");
    assert_eq!(keys.folder().unwrap(), folders.root().join("rings"));
    for file in files(&folders.data()) {
        assert_eq!(mode(&file), 0o600, "{}", file.display());
    }
    let left: Vec<_> =
        files(&folders.root().join("rings")).into_iter().filter(|file| !file.ends_with("master.key")).collect();
    assert_eq!(left, [folders.ring(RingName::Sensitive)], "a start left other files");
}

#[test]
fn a_later_start_has_the_same_keys_and_tells_nothing() {
    let folders = Folders::new();
    let pragma = |key: Option<DbKey>| key.unwrap().pragma().to_string();
    let first = folders.open().unwrap();
    let (system, queue) = (pragma(first.system().unwrap()), pragma(first.queue().unwrap()));
    assert_ne!(system, queue);
    let second = folders.open().unwrap();
    assert_eq!((pragma(second.system().unwrap()), pragma(second.queue().unwrap())), (system, queue));
    assert_eq!(second.created(), None);
}

#[test]
fn a_later_start_refuses_a_missing_ring_and_names_its_key() {
    for (ring, loss) in [(RingName::Master, "nothing in "), (RingName::Sensitive, "no sensitive memory in ")] {
        let folders = Folders::new();
        folders.open().unwrap();
        let path = folders.ring(ring);
        let id = Ring::parse(&fs::read_to_string(&path).unwrap()).unwrap().current().to_string();
        fs::remove_file(&path).unwrap();
        let error = refusal(&folders, Loads::Both);
        let start = format!("the {ring} key {id} is missing at {}; without it {loss}", path.display());
        assert!(error.starts_with(&start), "{error}");
        assert!(error.contains(&format!("restore it, or name its location in keys.{ring}")), "{error}");
        assert!(!path.exists(), "it was made again");
    }
}

#[test]
fn a_process_without_sensitive_text_needs_the_master_ring_alone() {
    let folders = Folders::new();
    let early = Keys::open(&folders.data(), &folders.sources(), Loads::MasterOnly).unwrap();
    assert!(folders.ring(RingName::Sensitive).exists(), "the first start creates both");
    let token = folders.open().unwrap().internal_token();
    assert_eq!(early.internal_token(), token);
    fs::remove_file(folders.ring(RingName::Sensitive)).unwrap();
    let late = Keys::open(&folders.data(), &folders.sources(), Loads::MasterOnly).unwrap();
    late.reload().unwrap();
    assert_eq!(late.internal_token(), token);
    fs::remove_file(folders.ring(RingName::Master)).unwrap();
    assert!(refusal(&folders, Loads::MasterOnly).contains("the master key"));
}

#[test]
fn a_start_with_another_ring_is_refused_by_the_key_that_is_missing() {
    for ring in [RingName::Master, RingName::Sensitive] {
        let folders = Folders::new();
        folders.open().unwrap();
        let old = Ring::parse(&fs::read_to_string(folders.ring(ring)).unwrap()).unwrap().current().to_string();
        write_private(&folders.ring(ring), &Ring::generate().unwrap().1);
        let error = refusal(&folders, Loads::Both);
        assert!(error.contains(&format!("the {ring} key {old}")) && error.contains("add it there"), "{error}");
    }
}

#[test]
fn one_key_for_both_rings_is_refused() {
    let folders = Folders::new();
    fs::create_dir(folders.root().join("rings")).unwrap();
    let text = Ring::generate().unwrap().1;
    write_private(&folders.ring(RingName::Master), &text);
    write_private(&folders.ring(RingName::Sensitive), &text);
    assert!(refusal(&folders, Loads::Both).contains("give each its own"));
}

#[test]
fn rings_that_others_can_read_or_that_lie_in_the_data_are_refused() {
    let folders = Folders::new();
    folders.open().unwrap();
    fs::set_permissions(folders.ring(RingName::Master), fs::Permissions::from_mode(0o644)).unwrap();
    assert!(refusal(&folders, Loads::Both).contains("chmod 600"));

    let folders = Folders::new();
    let inside = KeySources { folder: Some(folders.data().join("rings")), ..folders.sources() };
    let error = Keys::open(&folders.data(), &inside, Loads::Both).unwrap_err().to_string();
    assert!(error.contains("in the data folder"), "{error}");
    assert!(!folders.data().join("rings").exists());
    folders.open().unwrap();
}

#[test]
fn rings_that_are_no_files_are_never_made() {
    let folders = Folders::new();
    let variable = |ring: RingName| Some(KeySource::Variable(ring.as_str().to_uppercase()));
    let of = |variables| KeySources {
        folder: None,
        master: variable(RingName::Master),
        sensitive: variable(RingName::Sensitive),
        environment: Environment::of(variables),
    };
    let open = |sources: &KeySources| Keys::open(&folders.data(), sources, Loads::Both);
    let error = open(&of(std::collections::BTreeMap::new())).unwrap_err().to_string();
    assert!(error.contains("the variable MASTER is not set"), "{error}");
    let texts = [RingName::Master, RingName::Sensitive]
        .map(|ring| (ring.as_str().to_uppercase(), Ring::generate().unwrap().1.as_str().into()));
    let keys = open(&of(texts.into())).unwrap();
    assert_eq!((keys.created(), keys.folder()), (None, None));
    assert!(!folders.root().join("rings").exists());
    keys.make_user(&hash('a')).unwrap();
}

#[test]
fn an_encrypted_database_without_its_key_file_is_not_given_a_new_key() {
    for (database, key) in [("system.db", "system.key"), ("queue.db", "queue.key")] {
        let folders = Folders::new();
        fs::write(folders.data().join(database), [0x9c; 4096]).unwrap();
        let error = refusal(&folders, Loads::Both);
        assert!(error.contains(database) && error.contains(key) && error.contains("from its backup"), "{error}");
        assert!(!folders.ring(RingName::Master).exists(), "a useless ring was created");
        fs::write(folders.data().join(database), b"").unwrap();
        folders.open().unwrap();
    }
}

#[test]
fn a_plain_database_is_not_given_keys_and_those_there_do_not_help() {
    for database in ["system.db", "queue.db"] {
        let folders = Folders::new();
        let plain = || fs::write(folders.data().join(database), b"SQLite format 3\0and more").unwrap();
        let refused = || {
            let error = refusal(&folders, Loads::Both);
            assert!(
                error.contains(database) && error.contains("is not encrypted") && error.contains("import"),
                "{error}"
            );
        };
        plain();
        refused();
        assert!(!folders.ring(RingName::Master).exists(), "a useless ring was created");
        assert!(Keys::off_for(&folders.data()).is_ok(), "without encryption it goes on");
        fs::remove_file(folders.data().join(database)).unwrap();
        folders.open().unwrap();
        plain();
        refused();
    }
}

#[test]
fn a_lost_or_changed_id_of_the_data_folder_is_refused() {
    let folders = Folders::new();
    folders.open().unwrap();
    let id = folders.data().join("keys/id");
    for text in ["", "00112233", "0011223344556677 and more", "001122334455667X"] {
        fs::write(&id, text).unwrap();
        assert!(refusal(&folders, Loads::Both).contains("16 hexadecimal digits"), "{text:?}");
    }
    fs::write(&id, "0011223344556677\n").unwrap();
    let error = refusal(&folders, Loads::Both);
    assert!(error.contains("the key for db in the key file of system.db does not open"), "{error}");
    fs::remove_file(&id).unwrap();
    assert!(refusal(&folders, Loads::Both).contains("it is missing"));
    assert!(!id.exists(), "another id was created");
}

#[test]
fn a_damaged_key_file_of_a_database_ends_the_start() {
    let folders = Folders::new();
    folders.open().unwrap();
    let path = folders.store().path(&KeyName::System);
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    let error = refusal(&folders, Loads::Both);
    assert!(error.contains("the key file of system.db is damaged") && error.contains("backup"), "{error}");
}

#[test]
fn threads_that_start_at_once_agree() {
    let folders = Folders::new();
    let tokens: Vec<_> = std::thread::scope(|scope| {
        let start = |loads| {
            let folders = &folders;
            scope.spawn(move || {
                let keys = Keys::open(&folders.data(), &folders.sources(), loads).unwrap();
                (keys.internal_token(), keys.created().is_some())
            })
        };
        let threads: Vec<_> = [Loads::Both, Loads::MasterOnly, Loads::Both, Loads::Both].map(start).into();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(tokens.iter().all(|(token, _)| *token == tokens[0].0));
    assert_eq!(tokens.iter().filter(|(_, told)| *told).count(), 1, "one of them made the rings");
}
