//! The bare full-text query on a vault's file, as the reference for recall: SQLite alone, with the same terms.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use kimberly_core::memory::MemoryFilter;
use kimberly_core::recall::Plan;
use kimberly_core::recall::analysis::analyze;
use kimberly_core::time::Timestamp;
use kimberly_crypto::{DbKey, KeySources, Keys, Loads, PAGE_CIPHER_PRAGMA};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions as _, Row as _};

use crate::Result;
use crate::disk::files_named;

const QUERY: &str = "SELECT rowid, bm25(search) AS score FROM search WHERE search MATCH ? ORDER BY score LIMIT 10";

/// Open connections to some users' vaults, besides the process that serves them.
pub(crate) struct BareVaults {
    vaults: Vec<(String, SqliteConnection)>,
}

impl BareVaults {
    /// Opens all vaults in a data folder whose rings are in the folder `rings`.
    pub(crate) async fn open(data_dir: &Path, rings: PathBuf) -> Result<Self> {
        let sources = KeySources { folder: Some(rings), ..KeySources::default() };
        let keys = Keys::open(data_dir, &sources, Loads::MasterOnly)?;
        let mut vaults = Vec::new();
        for file in files_named(data_dir, "memory.db")? {
            let hash = file.parent().and_then(Path::file_name).and_then(|name| name.to_str()).unwrap_or_default();
            let key = keys.user(hash)?.ok_or("a vault has no key")?.db;
            vaults.push(open(file, &key).await?);
        }
        Ok(Self { vaults })
    }

    /// Searches for any of these terms; returns the time. Fails for a user without an open vault.
    pub(crate) async fn query(&mut self, user: &str, terms: String) -> Result<Duration> {
        let vault = self.vaults.iter_mut().find(|(owner, _)| owner == user);
        let (_, connection) = vault.ok_or_else(|| format!("the vault of {user} is not open"))?;
        let start = Instant::now();
        let rows = sqlx::query(QUERY).bind(terms).fetch_all(connection).await?;
        rows.iter().map(|row| row.try_get::<i64, _>(0)).collect::<Result<Vec<_>, _>>()?;
        Ok(start.elapsed())
    }
}

async fn open(file: PathBuf, key: &DbKey) -> Result<(String, SqliteConnection)> {
    let options = SqliteConnectOptions::new().filename(file).read_only(true).disable_statement_logging();
    let (cipher, value) = PAGE_CIPHER_PRAGMA;
    let mut connection = options.pragma("key", key.pragma().to_string()).pragma(cipher, value).connect().await?;
    let owner: String = sqlx::query("SELECT user_id FROM vault").fetch_one(&mut connection).await?.try_get(0)?;
    Ok((owner, connection))
}

/// The terms that Kimberly searches for, joined with OR.
pub(crate) fn terms(question: &str) -> String {
    let analysis = analyze(question, &[], Timestamp::default(), &Plan::default());
    let query = analysis.lexical_query([].into_iter(), &MemoryFilter::default(), false);
    any(query.any.iter().map(|term| term.words.join(" ")))
}

/// All words of a question, joined with OR: the plain FTS5 query.
pub(crate) fn all_words(question: &str) -> String {
    any(question.split_whitespace().map(str::to_owned))
}

fn any(terms: impl Iterator<Item = String>) -> String {
    terms.map(|term| format!("\"{}\"", term.replace('"', "\"\""))).collect::<Vec<_>>().join(" OR ")
}
