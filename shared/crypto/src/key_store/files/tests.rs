//! Files of keys are whole or absent, first come first served, and stay destroyed.

use std::os::unix::fs::PermissionsExt as _;
use std::thread;

use super::*;

fn user(first: &str) -> KeyName {
    KeyName::User(UserHash::parse(&format!("{first}{}", "0".repeat(64 - first.len()))).unwrap())
}

fn store() -> (tempfile::TempDir, FileKeyStore) {
    let root = tempfile::tempdir().unwrap();
    let store = FileKeyStore::new(root.path());
    (root, store)
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

#[test]
fn what_was_created_is_read_and_private() {
    let (root, store) = store();
    for name in [KeyName::System, KeyName::Queue, user("3f")] {
        assert_eq!(store.read(&name).unwrap(), None);
        assert_eq!(store.create_new(&name, b"one").unwrap(), Created::Made);
        assert_eq!(store.create_new(&name, b"two").unwrap(), Created::Existed);
        assert_eq!(store.read(&name).unwrap().unwrap(), b"one");
    }
    assert!(store.path(&user("3f")).starts_with(root.path().join("users/3f")));
    for file in files(root.path()) {
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600, "{}", file.display());
    }
    for folder in ["users", "users/3f"] {
        assert_eq!(fs::metadata(root.path().join(folder)).unwrap().permissions().mode() & 0o777, 0o700, "{folder}");
    }
}

#[test]
fn only_what_was_read_is_replaced() {
    let (_root, store) = store();
    let name = user("aa");
    assert!(!store.replace(&name, b"", b"new").unwrap(), "nothing was there to be replaced");
    store.create_new(&name, b"old").unwrap();
    assert!(!store.replace(&name, b"other", b"new").unwrap());
    assert!(store.replace(&name, b"old", b"new").unwrap());
    assert_eq!(store.read(&name).unwrap().unwrap(), b"new");
}

#[test]
fn a_destroyed_file_is_not_brought_back_by_who_read_it_before() {
    let (root, store) = store();
    let name = user("aa");
    store.create_new(&name, b"old").unwrap();
    assert_eq!(store.destroy(&name).unwrap(), Destroyed::Done);
    assert!(!store.replace(&name, b"old", b"new").unwrap());
    assert_eq!(store.read(&name).unwrap(), None);
    assert_eq!(store.destroy(&name).unwrap(), Destroyed::Absent);
    assert_eq!(store.destroy(&user("bb")).unwrap(), Destroyed::Absent);
    let left: Vec<PathBuf> = files(root.path()).into_iter().filter(|file| !file.ends_with(".lock")).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn who_reads_while_a_file_is_destroyed_sees_no_file_and_no_zeros() {
    let (_root, store) = store();
    let name = user("aa");
    store.create_new(&name, b"current").unwrap();
    let path = store.path(&name);
    fs::remove_file(&path).unwrap();
    // A pipe in the place of the file is opened before its bytes are decided.
    assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut open = fs::OpenOptions::new().write(true).open(&path).unwrap();
            fs::remove_file(&path).unwrap();
            io::Write::write_all(&mut open, &[0; 7]).unwrap();
        });
        assert_eq!(store.read(&name).unwrap(), None);
    });
}

#[test]
fn destroying_finds_what_killed_writers_left() {
    let (root, store) = store();
    let name = user("aa");
    store.create_new(&name, b"current").unwrap();
    let paths = store.paths(&name);
    fs::write(&paths.staged, b"half").unwrap();
    fs::write(&paths.gone, b"half destroyed").unwrap();
    let (staged, gone) = (root.path().join("one"), root.path().join("two"));
    fs::hard_link(&paths.staged, &staged).unwrap();
    fs::hard_link(&paths.gone, &gone).unwrap();
    assert_eq!(store.destroy(&name).unwrap(), Destroyed::Done);
    for path in [&paths.file, &paths.staged, &paths.gone] {
        assert!(!path.exists(), "{}", path.display());
    }
    for bytes in [fs::read(staged).unwrap(), fs::read(gone).unwrap()] {
        assert!(bytes.iter().all(|&byte| byte == 0), "a leftover keeps its bytes");
    }
    // Killed after renaming: the file is gone already, and what is left of it is still found.
    store.create_new(&name, b"again").unwrap();
    fs::rename(&paths.file, &paths.gone).unwrap();
    assert_eq!(store.read(&name).unwrap(), None);
    assert_eq!(store.destroy(&name).unwrap(), Destroyed::Done);
    assert!(!paths.gone.exists());
}

#[test]
fn a_writer_killed_before_its_rename_leaves_the_old_file_and_hinders_nobody() {
    let (_root, store) = store();
    let name = user("aa");
    store.create_new(&name, b"old").unwrap();
    let paths = store.paths(&name);
    fs::write(&paths.staged, b"ne").unwrap();
    assert_eq!(store.read(&name).unwrap().unwrap(), b"old");
    assert_eq!(store.create_new(&name, b"two").unwrap(), Created::Existed);
    // Killed between the link and the unlink, the staged name is another one of the file itself.
    fs::hard_link(&paths.file, &paths.staged).unwrap();
    assert!(store.replace(&name, b"old", b"new").unwrap());
    assert_eq!(store.read(&name).unwrap().unwrap(), b"new");
    assert!(!paths.staged.exists());
}

#[test]
fn one_of_many_who_create_at_once_wins_and_all_read_its_bytes() {
    let (_root, store) = store();
    let name = user("aa");
    let made: usize = thread::scope(|scope| {
        let one = |byte: u8| {
            let (store, name) = (&store, &name);
            scope.spawn(move || {
                let made = store.create_new(name, &[b'a' + byte; 500]).unwrap();
                let read = store.read(name).unwrap().unwrap();
                assert!(read.len() == 500 && read.iter().all(|&other| other == read[0]));
                (made == Created::Made, read[0])
            })
        };
        let threads: Vec<_> = (0..8).map(one).collect();
        let results: Vec<(bool, u8)> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
        assert!(results.iter().all(|(_, byte)| *byte == results[0].1), "they do not agree: {results:?}");
        results.iter().filter(|(made, _)| *made).count()
    });
    assert_eq!(made, 1);
}

#[test]
fn destroying_against_replacing_leaves_nothing() {
    for round in 0..20 {
        let (root, store) = store();
        let name = user("aa");
        store.create_new(&name, b"0").unwrap();
        thread::scope(|scope| {
            let (store, name) = (&store, &name);
            for _ in 0..2 {
                scope.spawn(move || {
                    for count in 0..50 {
                        let Some(old) = store.read(name).unwrap() else { break };
                        assert!(!old.contains(&0), "half destroyed bytes were read");
                        store.replace(name, &old, format!("{count}").as_bytes()).unwrap();
                    }
                });
            }
            scope.spawn(move || assert_eq!(store.destroy(name).unwrap(), Destroyed::Done));
        });
        assert_eq!(store.read(&name).unwrap(), None, "round {round}");
        assert_eq!(files(root.path()).len(), 1, "only the lock is left");
    }
}

#[test]
fn users_are_listed_in_order_and_by_pages() {
    let (root, store) = store();
    assert!(store.list(None, 10).unwrap().is_empty());
    for first in ["ff", "00", "3f1", "3f", "a1"] {
        store.create_new(&user(first), b"x").unwrap();
    }
    fs::write(root.path().join("users/3f/.x.new"), b"x").unwrap();
    fs::write(root.path().join(format!("users/3f/{}.key", "4".repeat(64))), b"in a wrong folder").unwrap();
    fs::create_dir(root.path().join("users/stray")).unwrap();
    let all = store.list(None, 100).unwrap();
    let short: Vec<&str> = all.iter().map(|hash| hash.as_str().trim_end_matches('0')).collect();
    assert_eq!(short, ["", "3f", "3f1", "a1", "ff"]);
    for limit in 1..=6 {
        let mut paged = Vec::new();
        loop {
            let page = store.list(paged.last(), limit).unwrap();
            assert!(page.len() <= limit);
            if page.is_empty() {
                break;
            }
            paged.extend(page);
        }
        assert_eq!(paged, all, "pages of {limit}");
    }
    assert!(store.list(None, 0).unwrap().is_empty());
}

#[test]
fn a_file_past_the_bound_is_cut_one_byte_behind_it() {
    let (_root, store) = store();
    store.create_new(&KeyName::System, &vec![b'x'; MAX_KEY_FILE_BYTES * 2]).unwrap();
    assert_eq!(store.read(&KeyName::System).unwrap().unwrap().len(), MAX_KEY_FILE_BYTES + 1);
}
