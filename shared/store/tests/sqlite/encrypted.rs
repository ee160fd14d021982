//! Encrypted files: their contents, who can open them, and the messages when keys and files do not match.

use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::sync::Arc;

use kimberly_core::Error;
use kimberly_core::damage::Damage;
use kimberly_core::error::StorageFailure;
use kimberly_core::ports::By;
use kimberly_crypto::Loads;
use kimberly_store::conformance::Bed;
use kimberly_store::conformance::fixtures::{START, any_of, draft, user};
use kimberly_store::{SqliteOptions, SqliteStore};

use crate::sqlite::common::{
    Still, bed_in, bed_of, data, databases, encrypted, encrypted_bed_in, files, keys, lift, make_vaults_at_once,
    raw_with, store, words_in,
};

/// Words found nowhere else. The full-text index contains their stems.
const WORDS: [&str; 4] = ["xylothumb", "quibblezorp", "speakerzilla", "sessionwock"];

async fn with_words(bed: &Bed, name: &str) {
    let mut planted = draft("my xylothumb is a quibblezorp");
    planted.speaker = Some("Speakerzilla".to_owned());
    planted.session_id = Some("sessionwock".to_owned());
    bed.remember(name, [planted].into_iter().chain((0..50).map(|n| draft(&format!("words number {n}"))))).await;
}

/// Returns the errors of a read and of a write.
async fn refusals(bed: &Bed, name: &str) -> [Error; 2] {
    let read = bed.vaults.read(&user(name), |r| Box::pin(r.usage())).await.unwrap_err();
    let write =
        bed.vaults.transact(&user(name), "test", |tx| Box::pin(async move { tx.usage().await })).await.unwrap_err();
    [read, write]
}

fn key_file(root: &Path, name: &str) -> std::path::PathBuf {
    let hash = user(name).folder_name();
    data(root).join(format!("keys/users/{}/{hash}.key", &hash[..2]))
}

#[tokio::test]
async fn no_word_stands_in_any_file_while_it_is_open_and_after() {
    let root = tempfile::tempdir().unwrap();
    let bed = encrypted_bed_in(root.path()).await;
    with_words(&bed, "speakerzilla").await;
    assert_eq!(bed.found("speakerzilla", any_of(&["xylothumb"])).await.len(), 1, "they are in the vault");
    assert!(files(root.path()).iter().any(|path| path.ends_with("memory.db-wal")), "the log is there too");
    assert_eq!(words_in(root.path(), &WORDS), Vec::<String>::new());
    bed.vaults.close().await;
    assert_eq!(words_in(root.path(), &WORDS), Vec::<String>::new());
    for file in files(&data(root.path())).into_iter().filter(|file| file.extension().is_some_and(|end| end == "db")) {
        let head = std::fs::read(&file).unwrap()[..15].to_vec();
        let template = file.file_name().unwrap().to_str().unwrap().starts_with("empty-v");
        assert_eq!(head == b"SQLite format 3", template, "{}", file.display());
    }
}

#[tokio::test]
async fn an_index_of_hundreds_of_pages_is_measured() {
    let root = tempfile::tempdir().unwrap();
    let bed = encrypted_bed_in(root.path()).await;
    let text = |n: u32| (0..24).map(|i| format!("word{}", n * 24 + i)).collect::<Vec<_>>().join(" ");
    bed.remember("u", (0..4_000).map(|n| draft(&text(n)))).await;
    let sizes = bed.read("u", |r| Box::pin(r.sizes())).await;
    assert!(sizes.index_bytes > 128 * 4_096 && sizes.index_bytes < sizes.disk_bytes, "{sizes:?}");
    bed.vaults.close().await;
}

#[tokio::test]
async fn each_file_opens_with_its_own_key_and_no_other() {
    let root = tempfile::tempdir().unwrap();
    let bed = encrypted_bed_in(root.path()).await;
    bed.remember("a", [draft("of a")]).await;
    bed.remember("b", [draft("of b")]).await;
    bed.vaults.close().await;
    let keys = keys(root.path(), Loads::MasterOnly);
    let key_of = |name: &str| keys.user(&user(name).folder_name()).unwrap().unwrap().db;
    let system = data(root.path()).join("system.db");
    assert!(raw_with(&system, &keys.system().unwrap().unwrap()).await.is_ok());
    assert!(raw_with(&system, &keys.queue().unwrap().unwrap()).await.is_err());
    let of_a = databases(&data(root.path()))
        .into_iter()
        .find(|path| path.parent().unwrap().ends_with(user("a").folder_name()));
    let of_a = of_a.unwrap();
    assert!(raw_with(&of_a, &key_of("a")).await.is_ok());
    assert!(raw_with(&of_a, &key_of("b")).await.is_err());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_vault_made_by_two_processes_at_once_has_one_key() {
    let root = tempfile::tempdir().unwrap();
    let (one, two) = tokio::join!(encrypted_bed_in(root.path()), encrypted_bed_in(root.path()));
    make_vaults_at_once(one, two).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_may_make_the_registry_at_the_same_moment() {
    for _ in 0..5 {
        let root = tempfile::tempdir().unwrap();
        let keys = keys(root.path(), Loads::Both);
        let open = || {
            let options = SqliteOptions { keys: keys.clone(), ..SqliteOptions::new(data(root.path())) };
            tokio::spawn(async move { store(options).await })
        };
        let opening = [open(), open(), open(), open(), open(), open()];
        for opened in opening {
            opened.await.unwrap().vaults().close().await;
        }
    }
}

#[tokio::test]
async fn a_lost_key_file_is_named_and_concerns_its_user_alone() {
    let root = tempfile::tempdir().unwrap();
    let bed = encrypted_bed_in(root.path()).await;
    bed.remember("a", [draft("of a")]).await;
    bed.remember("b", [draft("of b")]).await;
    bed.vaults.close().await;
    let whole = std::fs::read(key_file(root.path(), "a")).unwrap();
    std::fs::remove_file(key_file(root.path(), "a")).unwrap();
    let store = encrypted(root.path()).await;
    let bed = bed_of(&store);
    for error in refusals(&bed, "a").await {
        assert!(matches!(error, Error::Quarantined { damage: Damage::KeyFile }), "{error}");
    }
    assert!(!key_file(root.path(), "a").exists(), "no other key is made for a vault that is there");
    assert_eq!(bed.usage("b").await.created, 1);
    // Restored while the store is running.
    std::fs::write(key_file(root.path(), "a"), whole).unwrap();
    let by = By::new("key:operator", START);
    assert_eq!(store.quarantine().release(&user("a"), &by).await.unwrap(), None);
    assert_eq!(bed.usage("a").await.created, 1);
    bed.vaults.close().await;
}

#[tokio::test]
async fn a_key_file_of_another_backup_is_reported() {
    let (root, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for root in [&root, &other] {
        let bed = encrypted_bed_in(root.path()).await;
        bed.remember("a", [draft("of a")]).await;
        bed.vaults.close().await;
    }
    let vaults = [&root, &other].map(|root| databases(&data(root.path())).pop().unwrap());
    std::fs::copy(&vaults[1], &vaults[0]).unwrap();
    let bed = encrypted_bed_in(root.path()).await;
    for error in refusals(&bed, "a").await {
        assert!(matches!(error, Error::Quarantined { damage: Damage::NoDatabase }), "{error}");
    }
    bed.vaults.close().await;
    lift(&vaults[0]);
    std::fs::copy(key_file(other.path(), "a"), key_file(root.path(), "a")).unwrap();
    let bed = encrypted_bed_in(root.path()).await;
    for error in refusals(&bed, "a").await {
        let Error::Storage { failure, detail } = error else { unreachable!("{error}") };
        assert_eq!(failure, StorageFailure::Unavailable, "a ring can be put back");
        assert!(detail.contains("which is not in"), "{detail}");
    }
    bed.vaults.close().await;
}

#[tokio::test]
async fn a_plain_vault_instead_of_an_encrypted_one_is_refused_and_left_alone() {
    let (root, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let bed = encrypted_bed_in(root.path()).await;
    bed.remember("a", [draft("of a")]).await;
    bed.vaults.close().await;
    let bed = bed_in(&data(other.path())).await;
    bed.remember("a", [draft("of another a")]).await;
    bed.vaults.close().await;
    let [of_a, plain] = [&root, &other].map(|root| databases(&data(root.path())).pop().unwrap());
    std::fs::copy(&plain, &of_a).unwrap();
    let bed = encrypted_bed_in(root.path()).await;
    for error in refusals(&bed, "a").await {
        assert!(matches!(error, Error::Quarantined { damage: Damage::NoDatabase }), "{error}");
    }
    bed.vaults.close().await;
    assert_eq!(std::fs::read(&of_a).unwrap(), std::fs::read(&plain).unwrap());
}

#[tokio::test]
async fn a_changed_byte_is_noticed_wherever_it_is() {
    let root = tempfile::tempdir().unwrap();
    let bed = encrypted_bed_in(root.path()).await;
    bed.remember("a", (0..200).map(|n| draft(&format!("memory {n} with some words to fill pages")))).await;
    bed.remember("b", [draft("untouched")]).await;
    bed.vaults.close().await;
    let all = databases(&data(root.path()));
    let of_a = all.into_iter().max_by_key(|path| std::fs::metadata(path).unwrap().len()).unwrap();
    let whole = std::fs::read(&of_a).unwrap();
    let pages = whole.len() as u64 / 4096;
    // Damages the first page, which opening depends on, then all others at once.
    for (pages, told) in [(0..1, Damage::NoDatabase), (1..pages, Damage::Pages)] {
        let mut file = std::fs::File::options().write(true).open(&of_a).unwrap();
        for page in pages {
            let at = page * 4096 + 1000;
            file.seek(SeekFrom::Start(at)).unwrap();
            file.write_all(&[whole[usize::try_from(at).unwrap()] ^ 4]).unwrap();
        }
        drop(file);
        let bed = encrypted_bed_in(root.path()).await;
        let read = bed.vaults.read(&user("a"), |r| Box::pin(r.retention_items())).await.unwrap_err();
        let Error::Quarantined { damage } = read else { unreachable!("{read}") };
        assert_eq!(damage, told);
        assert_eq!(bed.usage("b").await.created, 1);
        bed.vaults.close().await;
        std::fs::write(&of_a, &whole).unwrap();
        lift(&of_a);
    }
}

#[tokio::test]
async fn a_registry_with_another_key_stops_the_start() {
    let root = tempfile::tempdir().unwrap();
    encrypted_bed_in(root.path()).await.vaults.close().await;
    let system = data(root.path()).join("system.db");
    std::fs::write(&system, vec![0x5a; 8192]).unwrap();
    let options = SqliteOptions { keys: keys(root.path(), Loads::Both), ..SqliteOptions::new(data(root.path())) };
    let error = SqliteStore::open(options, Arc::new(Still)).await.unwrap_err().to_string();
    assert!(error.contains("SQLite error 26"), "{error}");
}

#[tokio::test]
async fn who_has_the_master_key_alone_reads_and_writes_and_makes_no_vault() {
    let root = tempfile::tempdir().unwrap();
    let bed = encrypted_bed_in(root.path()).await;
    bed.remember("a", [draft("heron")]).await;
    bed.vaults.close().await;
    let options = SqliteOptions { keys: keys(root.path(), Loads::MasterOnly), ..SqliteOptions::new(data(root.path())) };
    let store = store(options).await;
    let vaults = store.vaults();
    let created = |name: &'static str| {
        let vaults = Arc::clone(&vaults);
        async move { vaults.transact(&user(name), "test", |tx| Box::pin(async move { tx.usage().await })).await }
    };
    assert_eq!(created("a").await.unwrap().created, 1);
    let error = created("new").await.unwrap_err();
    assert!(error.to_string().contains("does not load the sensitive ring"), "{error}");
    assert_eq!(databases(&data(root.path())).len(), 1);
    vaults.close().await;
}
