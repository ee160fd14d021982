//! The template of an empty vault. Copying it is several times faster than creating a vault from the schema, and reads
//! of users without a vault use it.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use kimberly_core::error::Result;
use kimberly_crypto::{DbKey, folder_of};
use tokio::sync::OnceCell;

use super::conn::{Args, Conn};
use super::layout::Layout;
use super::options::SqliteOptions;
use super::rows::{Cells, ReadRow as _};
use super::schema::VAULT;
use super::{errors, export, files, pragmas};

/// The template of this build's schema version.
pub(crate) struct Template {
    path: PathBuf,
    ready: OnceCell<()>,
    /// Distinguishes this store's temporary files from all others.
    staged: String,
    next: AtomicU64,
}

impl Template {
    pub(crate) fn new(layout: &Layout) -> Self {
        // Process ids are not enough: two containers on one folder may share one.
        let staged = format!("{:016x}", RandomState::new().build_hasher().finish());
        Self { path: layout.template(VAULT.version()), ready: OnceCell::new(), staged, next: AtomicU64::new(0) }
    }

    /// Returns the template's path, creating the file if it is missing or damaged.
    pub(crate) async fn path(&self, options: &SqliteOptions) -> Result<&Path> {
        self.ready
            .get_or_try_init(|| async {
                if self.path.exists() && is_whole(&self.path, options).await.unwrap_or(false) {
                    return Ok(());
                }
                self.make(options).await
            })
            .await?;
        Ok(&self.path)
    }

    async fn make(&self, options: &SqliteOptions) -> Result<()> {
        let staged = self.staged_beside(&self.path);
        let mut conn = Conn::open(&pragmas::maker(&staged, options, None), options.busy_timeout)?;
        let made = VAULT.migrate(&mut conn).await;
        conn.close().await?;
        made?;
        let path = self.path.clone();
        files::off_thread(move || std::fs::rename(staged, path))
            .await?
            .map_err(|e| errors::io("preparing an empty vault", &e))
    }

    /// Creates a vault at `to` with its folder, encrypted if there is a key; keeps an existing one.
    pub(crate) async fn copy_to(&self, to: &Path, key: Option<&DbKey>, options: &SqliteOptions) -> Result<()> {
        let template = self.path(options).await?.to_owned();
        let (to, staged) = (to.to_owned(), self.staged_beside(to));
        if let Some(key) = key {
            return encrypted(&template, staged, to, key, options).await;
        }
        files::off_thread(move || {
            files::make_folder(folder_of(&to))?;
            files::copy_new(&template, &staged, &to)
        })
        .await?
        .map_err(|e| errors::io("creating a vault", &e))
    }

    /// Returns a path that no other task or process uses.
    fn staged_beside(&self, path: &Path) -> PathBuf {
        let n = self.next.fetch_add(1, Ordering::Relaxed);
        path.with_extension(format!("{}-{n}.tmp", self.staged))
    }
}

/// Creates an encrypted vault.
async fn encrypted(from: &Path, staged: PathBuf, to: PathBuf, key: &DbKey, options: &SqliteOptions) -> Result<()> {
    let failed = |error: std::io::Error| errors::io("creating a vault", &error);
    let folder = folder_of(&to).to_owned();
    files::off_thread(move || files::make_folder(&folder)).await?.map_err(failed)?;
    let mut conn = Conn::open(&pragmas::nowhere(options), options.busy_timeout)?;
    let copied = async {
        export::attach_source(&mut conn, from, "immutable=1").await?;
        export::export(&mut conn, &staged, key).await
    };
    let copied = copied.await;
    conn.close().await.and(copied)?;
    files::off_thread(move || files::publish_new(&staged, &to)).await?.map_err(failed)
}

async fn is_whole(path: &Path, options: &SqliteOptions) -> Result<bool> {
    let mut conn = Conn::open(&pragmas::frozen(path, options, None)?, options.busy_timeout)?;
    let whole = check(&mut conn).await;
    conn.close().await?;
    whole
}

async fn check(conn: &mut Conn) -> Result<bool> {
    if VAULT.check(conn).await? != VAULT.version() {
        return Ok(false);
    }
    let sql = "SELECT (SELECT quick_check FROM pragma_quick_check) = 'ok' AND NOT EXISTS (SELECT 1 FROM memories) \
               AND NOT EXISTS (SELECT 1 FROM counters WHERE items <> 0)";
    Ok(conn
        .row("checking the empty vault template", sql, Args::new(), |row| Cells::new(row).flag())
        .await?
        .unwrap_or(false))
}
