//! Key files are written atomically, the first creation wins, and destroyed keys stay destroyed.

use std::os::unix::fs::PermissionsExt as _;
use std::thread;

use super::super::claims::{self, user};
use super::*;

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
fn files_meet_every_claim_about_key_stores() {
    let (root, store) = store();
    claims::all(&store);
    let left: Vec<PathBuf> = files(root.path());
    let is_known = |file: &PathBuf| file.ends_with(".lock") || file.ends_with(".files.lock") || file.ends_with("id");
    assert!(left.iter().all(is_known), "{left:?}");
}

#[test]
fn who_reads_while_a_file_is_destroyed_sees_no_file_and_no_zeros() {
    let (_root, store) = store();
    let name = user("aa");
    store.create_new(&name, b"current").unwrap();
    let path = store.path(&name);
    fs::remove_file(&path).unwrap();
    // A named pipe replaces the file: it is opened before its bytes are decided.
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
        assert!(bytes.iter().all(|&byte| byte == 0), "a leftover still has its bytes");
    }
    // Killed after the rename: the file is gone, but destroying still finds the leftover.
    store.create_new(&name, b"again").unwrap();
    fs::rename(&paths.file, &paths.gone).unwrap();
    assert_eq!(store.read(&name).unwrap(), None);
    assert_eq!(store.destroy(&name).unwrap(), Destroyed::Done);
    assert!(!paths.gone.exists());
}

#[test]
fn a_writer_killed_before_its_rename_leaves_the_old_file_and_blocks_no_other() {
    let (_root, store) = store();
    let name = user("aa");
    store.create_new(&name, b"old").unwrap();
    let paths = store.paths(&name);
    fs::write(&paths.staged, b"ne").unwrap();
    assert_eq!(store.read(&name).unwrap().unwrap(), b"old");
    assert_eq!(store.create_new(&name, b"two").unwrap(), Created::Existed);
    // Killed between link and unlink: the staging file is a hard link to the file itself.
    fs::hard_link(&paths.file, &paths.staged).unwrap();
    assert!(store.replace(&name, b"old", b"new").unwrap());
    assert_eq!(store.read(&name).unwrap().unwrap(), b"new");
    assert!(!paths.staged.exists());
}

#[test]
fn what_lies_beside_key_files_is_no_user() {
    let (root, store) = store();
    store.create_new(&user("3f"), b"x").unwrap();
    fs::write(root.path().join("users/3f/.x.new"), b"x").unwrap();
    fs::write(root.path().join(format!("users/3f/{}.key", "4".repeat(64))), b"in a wrong folder").unwrap();
    fs::create_dir(root.path().join("users/stray")).unwrap();
    assert_eq!(store.list(None, 100).unwrap().into_iter().map(KeyName::User).collect::<Vec<_>>(), [user("3f")]);
}
