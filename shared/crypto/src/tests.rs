//! Several processes: concurrent starts and kills at any moment. The other process runs this test binary again, with
//! the one test that acts as its environment says.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::keys::tests::{Folders, hash, sources};
use crate::{FileKeyStore, KeyName, KeyStore as _, Keys, Loads, UserHash};

const ACT: &str = "KIMBERLY_CRYPTO_TEST_ACT";
const ROOT: &str = "KIMBERLY_CRYPTO_TEST_ROOT";
const OUT: &str = "KIMBERLY_CRYPTO_TEST_OUT";

fn other(act: &str, root: &Path, out: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "tests::another_process_acts_as_its_environment_says", "--test-threads=1"])
        .envs([(ACT, act.as_ref()), (ROOT, root.as_os_str()), (OUT, out.as_os_str())])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn user() -> KeyName {
    KeyName::User(UserHash::parse(&hash('a')).unwrap())
}

fn open(root: &Path) -> Keys {
    Keys::open(&root.join("data"), &sources(root), Loads::Both).unwrap()
}

/// A text that is equal only for equal keys.
fn facts(keys: &Keys) -> String {
    let user = keys.make_user(&hash('a')).unwrap();
    format!("{} {}", keys.internal_token().unwrap().as_str(), user.db.pragma().as_str())
}

#[test]
fn another_process_acts_as_its_environment_says() {
    let Ok(act) = std::env::var(ACT) else { return };
    let (root, out) = (PathBuf::from(std::env::var_os(ROOT).unwrap()), PathBuf::from(std::env::var_os(OUT).unwrap()));
    let store = FileKeyStore::new(root.join("data/keys"));
    match act.as_str() {
        "start" => fs::write(out, facts(&open(&root))).unwrap(),
        "replace" => loop {
            for (old, new) in [(b'a', b'b'), (b'b', b'a')] {
                store.replace(&user(), &vec![old; 3000], &vec![new; 3000]).unwrap();
            }
            fs::write(&out, "goes").unwrap();
        },
        "destroy" => loop {
            store.destroy(&user()).unwrap();
            store.create_new(&user(), &[b'a'; 3000]).unwrap();
            fs::write(&out, "goes").unwrap();
        },
        other => panic!("unknown act: {other}"),
    }
}

/// Starts a process that acts in a loop, waits until it acts, and kills it a little later.
fn kill_while(act: &str, root: &Path, round: u32) {
    let out = root.join(format!("{act}.{round}"));
    let mut child = other(act, root, &out);
    while !out.exists() {
        assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
        thread::sleep(Duration::from_millis(1));
    }
    thread::sleep(Duration::from_micros(u64::from(round) * 977 % 5000));
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn processes_that_start_at_once_agree_on_all_keys() {
    for _ in 0..3 {
        let folders = Folders::new();
        let files: Vec<PathBuf> = (0..4).map(|number| folders.root().join(format!("out.{number}"))).collect();
        let children: Vec<Child> = files.iter().map(|out| other("start", folders.root(), out)).collect();
        for mut child in children {
            assert!(child.wait().unwrap().success());
        }
        let ours = facts(&open(folders.root()));
        for out in files {
            assert_eq!(fs::read_to_string(out).unwrap(), ours, "two processes have different keys");
        }
    }
}

#[test]
fn a_first_start_that_is_killed_anywhere_is_finished_by_the_next() {
    for round in 0..25 {
        let folders = Folders::new();
        let out = folders.root().join("out");
        let mut child = other("start", folders.root(), &out);
        // The delay adapts to what exists so far, so that the kill hits every step on any machine.
        let seen = || {
            let made = ["data/keys/id", "rings/master.key", "rings/sensitive.key", "data/keys/queue.key"];
            made.iter().filter(|path| folders.root().join(path).exists()).count()
        };
        while seen() < round % 5 && child.try_wait().unwrap().is_none() {
            thread::yield_now();
        }
        thread::sleep(Duration::from_micros(round as u64 / 5 * 300));
        let _ = child.kill();
        child.wait().unwrap();
        let told = fs::read_to_string(&out).unwrap_or_default();
        let ours = facts(&open(folders.root()));
        assert!(told.is_empty() || told == ours, "what a process used was replaced");
        assert_eq!(facts(&open(folders.root())), ours);
    }
}

#[test]
fn a_write_that_is_killed_anywhere_leaves_the_old_or_the_new_file() {
    let folders = Folders::new();
    open(folders.root());
    let store = folders.store();
    store.create_new(&user(), &[b'a'; 3000]).unwrap();
    for round in 0..25 {
        kill_while("replace", folders.root(), round);
        let read = store.read(&user()).unwrap().expect("the file is gone");
        assert_eq!(read.len(), 3000);
        assert!(read.iter().all(|byte| *byte == read[0]) && b"ab".contains(&read[0]), "half of a write is read");
        // Its lock was released with it, and its leftovers block no one else.
        assert!(store.replace(&user(), &read, &[b'a'; 3000]).unwrap());
    }
}

#[test]
fn a_destruction_that_is_killed_anywhere_is_whole_or_can_be_finished() {
    let folders = Folders::new();
    open(folders.root());
    let store = folders.store();
    for round in 0..25 {
        kill_while("destroy", folders.root(), round);
        let read = store.read(&user()).unwrap();
        assert!(read.is_none_or(|read| read == [b'a'; 3000]), "half of a file is read");
        store.destroy(&user()).unwrap();
        let shard = folders.data().join("keys/users/aa");
        let left = fs::read_dir(shard).unwrap().map(|entry| entry.unwrap().file_name()).collect::<Vec<_>>();
        assert_eq!(left, [".lock"], "a killed process left something");
    }
}
