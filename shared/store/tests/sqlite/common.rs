//! Shared by the tests of this backend.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use kimberly_core::ports::{AuditQuery, Ids, NoObserver};
use kimberly_core::settings::ServerDefaults;
use kimberly_core::time::Timestamp;
use kimberly_core::usecases::App;
use kimberly_core::usecases::audit::AuditOf;
use kimberly_crypto::{DbKey, KeySources, Keys, Loads, PAGE_CIPHER_PRAGMA};
use kimberly_store::conformance::Bed;
pub(crate) use kimberly_store::conformance::database::Still;
use kimberly_store::conformance::fixtures::{draft, new_memory, user};
use kimberly_store::{SqliteOptions, SqliteStore};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions, Connection};
use uuid::Uuid;

/// Opens an empty store in a new folder.
pub(crate) async fn open() -> Bed {
    let folder = tempfile::tempdir().unwrap();
    let options = SqliteOptions::new(folder.path());
    bed(store(options).await, folder)
}

/// Opens an empty store that keeps one vault open at a time.
pub(crate) async fn open_one_at_a_time() -> Bed {
    let folder = tempfile::tempdir().unwrap();
    let options = SqliteOptions { max_open: 1, ..SqliteOptions::new(folder.path()) };
    bed(store(options).await, folder)
}

/// Opens an empty store with encryption.
pub(crate) async fn open_encrypted() -> Bed {
    let root = tempfile::tempdir().unwrap();
    bed(encrypted(root.path()).await, root)
}

/// Returns the data folder below a folder that also holds the rings.
pub(crate) fn data(root: &Path) -> PathBuf {
    root.join("data")
}

/// Returns the keys of the data below a folder.
pub(crate) fn keys(root: &Path, loads: Loads) -> Keys {
    std::fs::create_dir_all(data(root)).unwrap();
    let sources = KeySources { folder: Some(root.join("rings")), ..KeySources::default() };
    Keys::open(&data(root), &sources, loads).unwrap()
}

/// Opens an encrypted store on the data below a folder.
pub(crate) async fn encrypted(root: &Path) -> SqliteStore {
    store(SqliteOptions { keys: keys(root, Loads::Both), ..SqliteOptions::new(data(root)) }).await
}

/// Copies all files below a folder.
pub(crate) fn copy(from: &Path, to: &Path) {
    for file in files(from) {
        let target = to.join(file.strip_prefix(from).unwrap());
        std::fs::create_dir_all(target.parent().unwrap()).unwrap();
        std::fs::copy(&file, target).unwrap();
    }
}

/// Lifts a quarantine by hand.
pub(crate) fn lift(database: &Path) {
    std::fs::remove_file(database.with_file_name("quarantine")).unwrap();
}

/// Returns the actions in the system's audit, in order.
pub(crate) async fn system_audit(store: &SqliteStore) -> Vec<String> {
    let query = AuditQuery { limit: 1_000, ..AuditQuery::default() };
    let audit = store.audit();
    let entries = audit.read(move |r| {
        let query = query.clone();
        Box::pin(async move { r.audit_entries(&query).await })
    });
    entries.await.unwrap().into_iter().map(|entry| entry.action).collect()
}

/// The same as a bed.
pub(crate) async fn encrypted_bed_in(root: &Path) -> Bed {
    bed(encrypted(root).await, ())
}

/// Opens a store.
pub(crate) async fn store(options: SqliteOptions) -> SqliteStore {
    SqliteStore::open(options, Arc::new(Still)).await.unwrap()
}

/// Opens a store on a folder, as a bed.
pub(crate) async fn bed_in(folder: &Path) -> Bed {
    bed(store(SqliteOptions::new(folder)).await, ())
}

/// Wraps an open store as a bed.
pub(crate) fn bed_of(store: &SqliteStore) -> Bed {
    bed(store.clone(), ())
}

fn bed(store: SqliteStore, folder: impl Send + Sync + 'static) -> Bed {
    Bed::of(store, folder)
}

/// Two processes create the same vaults concurrently: each becomes one vault, which both read.
pub(crate) async fn make_vaults_at_once(one: Bed, two: Bed) {
    let (one, two) = (Arc::new(one), Arc::new(two));
    for n in 0..10_u32 {
        let name = format!("u{n}");
        let make = |bed: &Arc<Bed>, id: u32| {
            let (bed, name) = (Arc::clone(bed), name.clone());
            tokio::spawn(async move { bed.insert(&name, vec![new_memory(id, draft("made"))]).await })
        };
        let (a, b) = (make(&one, 1), make(&two, 2));
        a.await.unwrap();
        b.await.unwrap();
        assert_eq!((one.usage(&name).await.created, two.usage(&name).await.created), (2, 2));
    }
    one.vaults.close().await;
    two.vaults.close().await;
}

/// The use cases over a bed.
pub(crate) fn app(bed: &Bed) -> App {
    let defaults = Arc::new(ServerDefaults::default());
    App::new(Arc::clone(&bed.vaults), Arc::new(Still), Arc::new(NoIds), defaults, Arc::new(NoObserver))
}

/// The audit of the user `u`.
pub(crate) fn of_u() -> AuditOf {
    AuditOf::User(user("u"))
}

/// For use cases that create nothing.
struct NoIds;

impl Ids for NoIds {
    fn new_id(&self, _: Timestamp) -> Uuid {
        unreachable!("nothing is made")
    }
}

/// Returns the databases of all vaults below a data folder.
pub(crate) fn databases(folder: &Path) -> Vec<PathBuf> {
    files(&folder.join("vaults")).into_iter().filter(|path| path.ends_with("memory.db")).collect()
}

/// Returns all files below a folder.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}

/// Returns which of these lower-case words are in which files below a folder.
pub(crate) fn words_in(folder: &Path, words: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for path in files(folder) {
        // A temporary file may have been renamed meanwhile.
        let Ok(bytes) = std::fs::read(&path) else { continue };
        let bytes = bytes.to_ascii_lowercase();
        for word in words {
            if bytes.windows(word.len()).any(|window| window == word.as_bytes()) {
                found.push(format!("{word} in {}", path.display()));
            }
        }
    }
    found
}

/// Opens a connection that bypasses the store.
pub(crate) async fn raw(path: &Path) -> SqliteConnection {
    SqliteConnectOptions::new().filename(path).disable_statement_logging().connect().await.unwrap()
}

/// The same for an encrypted file.
pub(crate) async fn raw_with(path: &Path, key: &DbKey) -> Result<SqliteConnection, sqlx::Error> {
    let (name, value) = PAGE_CIPHER_PRAGMA;
    let options = SqliteConnectOptions::new().filename(path).disable_statement_logging();
    let mut conn = options.pragma("key", key.pragma().to_string()).pragma(name, value).connect().await?;
    sqlx::raw_sql("SELECT count(*) FROM sqlite_schema").execute(&mut conn).await?;
    Ok(conn)
}

/// Runs a statement that bypasses the store.
pub(crate) async fn execute(path: &Path, sql: &'static str) {
    let mut conn = raw(path).await;
    sqlx::raw_sql(sql).execute(&mut conn).await.unwrap();
    conn.close().await.unwrap();
}
