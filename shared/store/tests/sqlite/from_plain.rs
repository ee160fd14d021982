//! Data folders that were plain before are encrypted, whatever comes in between, and nothing is lost or left readable.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use kimberly_core::Error;
use kimberly_core::error::StorageFailure;
use kimberly_crypto::Loads;
use kimberly_store::conformance::Bed;
use kimberly_store::conformance::fixtures::{any_of, draft, new_memory, user};
use kimberly_store::{SqliteOptions, encrypt_databases};

use crate::sqlite::common::{bed_in, data, databases, encrypted, encrypted_bed_in, files, keys, raw, store, words_in};

const ROOT: &str = "KIMBERLY_TEST_ENCRYPTS";
/// Words in the memories that the tests store.
const WORDS: [&str; 2] = ["xylothumb", "sailing"];

/// A plain data folder below `root`, of "u" and other users, as a killed process leaves it, with all that was written last in the log.
async fn plain(root: &Path, users: u32) {
    std::fs::create_dir_all(data(root)).unwrap();
    let bed = bed_in(&data(root)).await;
    bed.remember("u", (0..12).map(|m| draft(&format!("sailing {m}")))).await;
    for n in 0..users {
        let drafts = (0..30).map(|m| draft(&format!("xylothumb {m} of user {n}")));
        bed.remember(&format!("user {n}"), drafts).await;
    }
    let left = tempfile::tempdir().unwrap();
    copy(&data(root), left.path());
    bed.vaults.close().await;
    std::fs::remove_dir_all(data(root)).unwrap();
    copy(left.path(), &data(root));
}

fn holds_words(file: &Path) -> bool {
    let bytes = std::fs::read(file).unwrap();
    WORDS.iter().any(|word| bytes.windows(word.len()).any(|window| window == word.as_bytes()))
}

fn copy(from: &Path, to: &Path) {
    for path in files(from).into_iter().filter(|path| !path.to_string_lossy().ends_with("-shm")) {
        let to = to.join(path.strip_prefix(from).unwrap());
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        std::fs::copy(&path, &to).unwrap();
    }
}

/// That everything is there.
async fn check(bed: &Bed, users: u32) {
    assert_eq!(bed.usage("u").await.created, 12);
    assert_eq!(bed.found("u", any_of(&["sailing"])).await.len(), 12);
    for n in 0..users {
        let name = format!("user {n}");
        assert_eq!(bed.found(&name, any_of(&["xylothumb"])).await.len(), 30, "{name}");
        let (usage, counted) =
            bed.read(&name, |r| Box::pin(async move { Ok((r.usage().await?, r.recount().await?)) })).await;
        assert_eq!(usage, counted, "{name}");
    }
    assert_eq!(bed.registry.count_users().await.unwrap(), u64::from(users) + 1);
}

/// That nothing is left of what was plain, but for the template.
fn assert_encrypted(root: &Path) {
    assert_eq!(words_in(root, &WORDS), Vec::<String>::new());
    for file in files(&data(root)) {
        let name = file.file_name().unwrap().to_str().unwrap();
        let is_left = (name.contains(".new") && !is_second_name_of_a_key(&file)) || name.contains("-journal");
        assert!(!is_left, "{} was left", file.display());
        if name == "memory.db" || name == "system.db" {
            assert_ne!(std::fs::read(&file).unwrap()[..16], *b"SQLite format 3\0", "{}", file.display());
        }
    }
}

/// A key file appears by linking and is then unlinked where it was written: who is killed in between leaves it with two
/// names. Both go when it is replaced or destroyed.
fn is_second_name_of_a_key(staged: &Path) -> bool {
    let name = staged.file_name().and_then(|name| name.to_str()).unwrap();
    let key = name.strip_prefix('.').and_then(|name| name.strip_suffix(".new")).map(|name| format!("{name}.key"));
    let file_at = |path: &Path| std::fs::metadata(path).map(|file| (file.dev(), file.ino())).ok();
    key.is_some_and(|key| file_at(staged).is_some_and(|file| file_at(&staged.with_file_name(key)) == Some(file)))
}

async fn encrypt(root: &Path) {
    encrypt_databases(&data(root), &keys(root, Loads::Both)).await.unwrap();
}

#[tokio::test]
async fn a_plain_folder_is_encrypted_as_it_is_read_and_loses_nothing() {
    let root = tempfile::tempdir().unwrap();
    plain(root.path(), 3).await;
    assert!(words_in(root.path(), &WORDS).len() >= 4, "the test can see what it looks for");
    // Other names of the plain files and their logs, as what a disk keeps of them.
    let kept = tempfile::tempdir().unwrap();
    for (n, file) in files(&data(root.path())).into_iter().filter(|file| holds_words(file)).enumerate() {
        std::fs::hard_link(file, kept.path().join(n.to_string())).unwrap();
    }
    assert!(words_in(kept.path(), &WORDS).len() >= 4);
    encrypt(root.path()).await;
    let bed = encrypted_bed_in(root.path()).await;
    check(&bed, 3).await;
    bed.vaults.close().await;
    assert_encrypted(root.path());
    assert_eq!(words_in(kept.path(), &WORDS), Vec::<String>::new(), "what was plain is overwritten");
    // And stays so.
    encrypt(root.path()).await;
    let bed = encrypted_bed_in(root.path()).await;
    check(&bed, 3).await;
    bed.vaults.close().await;
}

#[tokio::test]
async fn a_plain_vault_can_be_written_first() {
    let root = tempfile::tempdir().unwrap();
    plain(root.path(), 1).await;
    encrypt(root.path()).await;
    let bed = encrypted_bed_in(root.path()).await;
    bed.insert("user 0", vec![new_memory(99, draft("xylothumb again"))]).await;
    assert_eq!(bed.found("user 0", any_of(&["xylothumb"])).await.len(), 31);
    bed.vaults.close().await;
}

#[tokio::test]
async fn whether_vaults_may_be_plain_is_known_until_somebody_has_seen_them_all() {
    let root = tempfile::tempdir().unwrap();
    let new = encrypted(root.path()).await;
    assert!(!new.may_hold_plain_vaults().await.unwrap(), "a new folder has none");
    new.vaults().close().await;
    let root = tempfile::tempdir().unwrap();
    plain(root.path(), 1).await;
    encrypt(root.path()).await;
    let old = encrypted(root.path()).await;
    assert!(old.may_hold_plain_vaults().await.unwrap());
    old.no_vault_is_plain().await.unwrap();
    old.no_vault_is_plain().await.unwrap();
    assert!(!old.may_hold_plain_vaults().await.unwrap());
    old.vaults().close().await;
}

#[tokio::test]
async fn a_vault_that_another_process_has_open_is_left_until_it_is_closed() {
    let root = tempfile::tempdir().unwrap();
    plain(root.path(), 1).await;
    encrypt(root.path()).await;
    let of_u = vault(root.path(), "u");
    let mut other = raw(&of_u).await;
    sqlx::raw_sql("SELECT count(*) FROM memories").execute(&mut other).await.unwrap();
    let options = SqliteOptions {
        keys: keys(root.path(), Loads::Both),
        busy_timeout: Duration::from_millis(50),
        ..SqliteOptions::new(data(root.path()))
    };
    let store = store(options).await;
    let read = store.vaults().read(&user("u"), |r| Box::pin(r.usage())).await;
    assert!(matches!(read, Err(Error::Storage { failure: StorageFailure::Unavailable, .. })), "{read:?}");
    sqlx::raw_sql("UPDATE memories SET helpful = helpful").execute(&mut other).await.unwrap();
    sqlx::Connection::close(other).await.unwrap();
    assert_eq!(store.vaults().read(&user("u"), |r| Box::pin(r.usage())).await.unwrap().created, 12);
    store.vaults().close().await;
}

#[tokio::test]
async fn a_process_of_before_that_is_about_to_stop_is_waited_for() {
    let root = tempfile::tempdir().unwrap();
    plain(root.path(), 1).await;
    let mut before = raw(&data(root.path()).join("system.db")).await;
    // A writer, whom SQLite answers "locked" about, and then one that only has it open.
    sqlx::raw_sql("BEGIN IMMEDIATE").execute(&mut before).await.unwrap();
    let stops = async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        sqlx::raw_sql("COMMIT; SELECT count(*) FROM users").execute(&mut before).await.unwrap();
        tokio::time::sleep(Duration::from_millis(300)).await;
        sqlx::Connection::close(before).await.unwrap();
    };
    tokio::join!(encrypt(root.path()), stops);
    let bed = encrypted_bed_in(root.path()).await;
    check(&bed, 1).await;
    bed.vaults.close().await;
    assert_encrypted(root.path());
}

#[tokio::test]
async fn who_is_never_done_with_a_database_is_told_of_by_name() {
    let root = tempfile::tempdir().unwrap();
    plain(root.path(), 0).await;
    let system = data(root.path()).join("system.db");
    let mut before = raw(&system).await;
    sqlx::raw_sql("BEGIN IMMEDIATE").execute(&mut before).await.unwrap();
    let told = encrypt_databases(&data(root.path()), &keys(root.path(), Loads::Both)).await.unwrap_err().to_string();
    assert!(told.contains("system.db is not encrypted yet and another process has it open"), "{told}");
    assert!(told.contains("stop all processes of this data folder"), "{told}");
    sqlx::raw_sql("COMMIT").execute(&mut before).await.unwrap();
    sqlx::Connection::close(before).await.unwrap();
    encrypt(root.path()).await;
}

#[tokio::test]
async fn who_has_the_master_key_alone_waits_for_another_to_encrypt_a_vault() {
    let root = tempfile::tempdir().unwrap();
    plain(root.path(), 0).await;
    encrypt(root.path()).await;
    let options = SqliteOptions { keys: keys(root.path(), Loads::MasterOnly), ..SqliteOptions::new(data(root.path())) };
    let embedder = store(options).await;
    let read = || async { embedder.vaults().read(&user("u"), |r| Box::pin(r.usage())).await };
    assert!(matches!(read().await, Err(Error::Storage { failure: StorageFailure::Unavailable, .. })));
    let bed = encrypted_bed_in(root.path()).await;
    assert_eq!(bed.usage("u").await.created, 12);
    assert_eq!(read().await.unwrap().created, 12);
    bed.vaults.close().await;
    embedder.vaults().close().await;
}

#[tokio::test]
async fn a_damaged_plain_vault_is_left_as_it_is() {
    let root = tempfile::tempdir().unwrap();
    plain(root.path(), 1).await;
    encrypt(root.path()).await;
    let of_u = vault(root.path(), "u");
    let mut bytes = std::fs::read(&of_u).unwrap();
    let end = bytes.len();
    bytes[8192..end].fill(0xa5);
    std::fs::write(&of_u, &bytes).unwrap();
    let bed = encrypted_bed_in(root.path()).await;
    let read = bed.vaults.read(&user("u"), |r| Box::pin(r.usage())).await;
    assert!(matches!(read, Err(Error::Quarantined { .. })), "{read:?}");
    assert_eq!(bed.usage("user 0").await.created, 30);
    bed.vaults.close().await;
    assert_eq!(std::fs::read(&of_u).unwrap()[8192..], bytes[8192..]);
}

fn vault(root: &Path, name: &str) -> PathBuf {
    let all = databases(&data(root));
    all.into_iter().find(|path| path.parent().unwrap().ends_with(user(name).folder_name())).unwrap()
}

/// The process that is killed: this test binary again, which encrypts what it is told to.
#[tokio::test]
async fn another_process_encrypts_a_folder() {
    let Some(root) = std::env::var_os(ROOT).map(PathBuf::from) else { return };
    let keys = keys(&root, Loads::Both);
    std::fs::write(root.join("begins"), "").unwrap();
    encrypt_databases(&data(&root), &keys).await.unwrap();
    let store = encrypted(&root).await;
    for name in ["u", "user 0", "user 1", "user 2"] {
        store.vaults().read(&user(name), |r| Box::pin(r.usage())).await.unwrap();
    }
    std::fs::write(root.join("ends"), "").unwrap();
    store.vaults().close().await;
}

#[tokio::test]
async fn killed_anywhere_it_is_done_by_the_next() {
    let template = tempfile::tempdir().unwrap();
    plain(template.path(), 3).await;
    for round in 0..30_u64 {
        let root = tempfile::tempdir().unwrap();
        copy(&data(template.path()), &data(root.path()));
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "sqlite::from_plain::another_process_encrypts_a_folder", "--test-threads=1"])
            .env(ROOT, root.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        while !root.path().join("begins").exists() {
            assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
            std::thread::sleep(Duration::from_millis(1));
        }
        // From the very beginning to about the end, or to its end on a slow machine.
        std::thread::sleep(Duration::from_micros(round * 3_001));
        child.kill().unwrap();
        child.wait().unwrap();
        encrypt(root.path()).await;
        let bed = encrypted_bed_in(root.path()).await;
        check(&bed, 3).await;
        bed.vaults.close().await;
        assert_encrypted(root.path());
    }
}
