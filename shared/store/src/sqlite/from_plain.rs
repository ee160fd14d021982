//! Encrypting databases that were made before encryption was on.
//!
//! The plain file is copied into an encrypted one beside it, which takes its place by renaming, so that a kill anywhere
//! leaves one or the other; then what was plain is overwritten. Meanwhile nobody else may have the file open: SQLite
//! gives up a write-ahead log only to its last user, and then locks the file.

use std::fs::{self, File};
use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::future::BoxFuture;
use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_crypto::{DbKey, Keys, folder_of};

use super::conn::{Args, Conn};
use super::layout::{Layout, lock_of};
use super::options::SqliteOptions;
use super::rows::Cells;
use super::{SqliteStore, errors, export, files, pragmas};

/// The first bytes of a plain database.
const PLAIN: &[u8; 16] = b"SQLite format 3\0";
/// What is overwritten at a time.
const WIPE_BYTES: usize = 1 << 20;

/// How long a database of the whole folder is waited for: those who have it open may be processes of before, about to stop.
const PATIENCE: Duration = Duration::from_secs(10);
/// Between two looks whether they have stopped.
const PAUSE: Duration = Duration::from_millis(50);

/// Encrypts `system.db` and `queue.db` of a data folder if they are plain files of an earlier version. To be called
/// before this process opens either. Other processes may do the same at the same moment; none of an earlier version may
/// run; those that have a database open are waited for, up to 10 s for both. Does nothing when encryption is off.
// Boxed: compiled here once, and not by each crate that awaits it.
pub fn encrypt_databases<'a>(data_dir: &'a Path, keys: &'a Keys) -> BoxFuture<'a, Result<()>> {
    Box::pin(async move {
        let layout = Layout::new(data_dir.to_owned());
        let databases = [(layout.system_db(), keys.system()), (layout.queue_db(), keys.queue())];
        let until = Instant::now() + PATIENCE;
        pragmas::silence().await?;
        for (path, key) in databases {
            let Some(key) = key.map_err(|error| errors::key(&error))? else { return Ok(()) };
            let (layout, options) =
                (layout.clone(), SqliteOptions { busy_timeout: PAUSE, ..SqliteOptions::new(data_dir) });
            // A task of its own: what is begun is carried out, whoever waits for it.
            let done = tokio::spawn(async move {
                let _held = files::lock(layout.root().join(".encrypting")).await?;
                let (looked, marker, sealed) = (path.clone(), layout.plain_vaults(), layout.sealed_vaults());
                if !files::off_thread(move || is_plain(&looked)).await?.map_err(|error| failed(&error))? {
                    return Ok(());
                }
                let noted = files::off_thread(move || remove_marker(&sealed).and_then(|()| mark(&marker)));
                noted.await?.map_err(|error| failed(&error))?;
                convert_once_closed(&path, &key, &options, until).await?;
                tracing::info!("encrypted {}", path.display());
                Ok(())
            });
            done.await.map_err(|_| cut_off())??;
        }
        Ok(())
    })
}

/// Encrypts a vault if it is plain, with keys that are made if there are none, and returns what opens it.
pub(super) async fn vault(path: &Path, hash: &str, options: &SqliteOptions) -> Result<Arc<DbKey>> {
    let (path, hash, options) = (path.to_owned(), hash.to_owned(), options.clone());
    // Not cut off with a caller who goes away: the lock must outlive the work.
    tokio::spawn(async move { vault_locked(&path, hash, &options).await }).await.map_err(|_| cut_off())?
}

async fn vault_locked(path: &Path, hash: String, options: &SqliteOptions) -> Result<Arc<DbKey>> {
    let _held = files::lock(lock_of(folder_of(path))).await?;
    let (keys, name) = (options.keys.clone(), hash.clone());
    let known = files::off_thread(move || keys.user(&name)).await?.map_err(|error| errors::key(&error))?;
    let had_keys = known.is_some();
    // Before SQLite looks: whoever closes a file last ends its log.
    let old = Old::open(path).await?;
    if let Some(known) = known
        && opens(path, Some(&known.db), options).await?
    {
        // Another process was faster.
        return Ok(Arc::new(known.db));
    }
    if !opens(path, None, options).await? {
        return Err(errors::corrupt(if had_keys {
            "the vault does not open: it is no database, or not the one that its key file belongs to; put both back from \
             one backup"
        } else {
            "the vault does not open: it is no database, or it is encrypted and its key file is missing; put data/keys \
             back from its backup"
        }));
    }
    let keys = options.keys.clone();
    let key = files::off_thread(move || keys.make_user(&hash)).await?.map_err(|error| errors::key(&error))?.db;
    if !convert(path, old, &key, options).await? {
        let detail =
            format!("{} is plain and in use; it is encrypted once no other process has it open", path.display());
        return Err(Error::storage(StorageFailure::Unavailable, detail));
    }
    tracing::debug!("encrypted a vault of an earlier version");
    Ok(Arc::new(key))
}

/// Whether a file opens with this key, or without one; what is in the way says neither.
async fn opens(path: &Path, key: Option<&DbKey>, options: &SqliteOptions) -> Result<bool> {
    let look = async {
        let mut conn = Conn::open(&pragmas::reader(path, options, key), options.busy_timeout).await?;
        let sql = "SELECT count(*) FROM sqlite_schema";
        let looked = conn.row("looking at a database", sql, Args::new(), |row| Cells::new(row).int()).await;
        conn.close().await?;
        looked
    };
    match look.await {
        Ok(_) => Ok(true),
        Err(error) if errors::is_no_database(&error) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Encrypts a plain file once nobody has it open any more.
async fn convert_once_closed(path: &Path, key: &DbKey, options: &SqliteOptions, until: Instant) -> Result<()> {
    while !convert(path, Old::open(path).await?, key, options).await? {
        if Instant::now() >= until {
            let detail = format!(
                "{} is not encrypted yet and another process has it open: stop all processes of this data folder that were \
                 started before encryption was turned on, then start again",
                path.display()
            );
            return Err(Error::storage(StorageFailure::Unavailable, detail));
        }
        tokio::time::sleep(PAUSE).await;
    }
    Ok(())
}

/// Puts an encrypted copy in the place of a plain file; `false` if another process has that open, and nothing is changed.
async fn convert(path: &Path, mut old: Old, key: &DbKey, options: &SqliteOptions) -> Result<bool> {
    let staged = path.with_extension("db.new");
    let new = staged.clone();
    files::off_thread(move || remove_staged(&new)).await?.map_err(|error| failed(&error))?;
    let mut conn = Conn::open(&pragmas::nowhere(options), options.busy_timeout).await?;
    let copied = match copy(&mut conn, path, &staged, key).await {
        Err(error) if errors::is_locked(&error) => Ok(false),
        copied => copied,
    };
    let Ok(true) = copied else {
        // What it said first counts.
        let _ = conn.close().await;
        return copied;
    };
    let (new, to) = (staged, path.to_owned());
    let done = files::off_thread(move || old.add(&to).and_then(|()| publish(&new, &to)).map(|()| old)).await?;
    conn.close().await?;
    let old = done.map_err(|error| failed(&error))?;
    files::off_thread(move || old.wipe()).await?.map_err(|error| failed(&error))?;
    Ok(true)
}

/// Copies the database; on return the plain file is locked, and the copy is closed. `false` if somebody else has it open.
async fn copy(conn: &mut Conn, path: &Path, staged: &Path, key: &DbKey) -> Result<bool> {
    let doing = "encrypting a database";
    export::attach_source(conn, path, "mode=rw").await?;
    let give_up = "PRAGMA source.journal_mode = DELETE";
    let log = conn.row(doing, give_up, Args::new(), |row| Cells::new(row).text()).await?;
    if log.as_deref() != Some("delete") {
        return Ok(false);
    }
    conn.run(doing, "PRAGMA source.locking_mode = EXCLUSIVE", Args::new()).await?;
    export::export(conn, staged, key).await?;
    let sound = "PRAGMA target.integrity_check(1)";
    let sound = conn.row(doing, sound, Args::new(), |row| Cells::new(row).text()).await?;
    if sound.as_deref() != Some("ok") {
        return Err(errors::corrupt(format!("{} is damaged, and was left as it is", path.display())));
    }
    conn.run(doing, "DETACH target", Args::new()).await?;
    Ok(true)
}

/// The plain file and its log, held open to be overwritten once nobody needs them.
struct Old(Vec<File>);

impl Old {
    /// The log, if there is one.
    async fn open(path: &Path) -> Result<Self> {
        let log = path.with_extension("db-wal");
        let open = move || {
            let mut old = Self(Vec::new());
            match old.add(&log) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(old),
            }
        };
        files::off_thread(open).await?.map_err(|error| failed(&error))
    }

    /// Of a database only once it is locked, and closed only after SQLite has closed it: closing drops SQLite's locks.
    fn add(&mut self, path: &Path) -> io::Result<()> {
        self.0.push(File::options().write(true).open(path)?);
        Ok(())
    }

    fn wipe(self) -> io::Result<()> {
        let zeros = vec![0; WIPE_BYTES];
        for mut file in self.0 {
            let mut left = file.metadata()?.len();
            file.seek(SeekFrom::Start(0))?;
            while left > 0 {
                let now = left.min(WIPE_BYTES as u64);
                file.write_all(&zeros[..usize::try_from(now).unwrap_or(WIPE_BYTES)])?;
                left -= now;
            }
            file.sync_all()?;
        }
        Ok(())
    }
}

/// What a conversion that was killed left.
fn remove_staged(staged: &Path) -> io::Result<()> {
    let name = staged.as_os_str();
    for suffix in ["", "-journal", "-wal", "-shm"] {
        let mut file = name.to_owned();
        file.push(suffix);
        match fs::remove_file(PathBuf::from(file)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

fn publish(staged: &Path, to: &Path) -> io::Result<()> {
    File::open(staged)?.sync_all()?;
    fs::rename(staged, to)?;
    files::sync_folder(folder_of(to))
}

fn is_plain(path: &Path) -> io::Result<bool> {
    let mut head = [0; 16];
    match File::open(path).and_then(|mut file| io::Read::read_exact(&mut file, &mut head)) {
        Ok(()) => Ok(head == *PLAIN),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::UnexpectedEof) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Notes that vaults of an earlier version may lie in the data folder.
fn mark(marker: &Path) -> io::Result<()> {
    let folder = folder_of(marker);
    files::make_folder(folder)?;
    File::create(marker)?.sync_all()?;
    files::sync_folder(folder)
}

fn remove_marker(marker: &Path) -> io::Result<()> {
    match fs::remove_file(marker) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn failed(error: &io::Error) -> Error {
    errors::io("encrypting a database", error)
}

fn cut_off() -> Error {
    Error::storage(StorageFailure::Unavailable, "encrypting a database was cut off")
}

impl SqliteStore {
    /// Whether vaults of an earlier version may still be plain: they are encrypted when they are first opened.
    pub async fn may_hold_plain_vaults(&self) -> Result<bool> {
        let marker = self.shared.layout.plain_vaults();
        files::off_thread(move || marker.exists()).await
    }

    /// To be called once every vault was opened since [`Self::may_hold_plain_vaults`] was asked.
    pub async fn no_vault_is_plain(&self) -> Result<()> {
        let marker = self.shared.layout.plain_vaults();
        files::off_thread(move || remove_marker(&marker)).await?.map_err(|error| failed(&error))
    }

    /// Whether there may be vaults with sensitive memories that are not sealed although they should be.
    pub async fn may_hold_unsealed(&self) -> Result<bool> {
        let marker = self.shared.layout.sealed_vaults();
        Ok(self.shared.options.keys.are_on() && !files::off_thread(move || marker.exists()).await?)
    }

    /// To be called once every vault was looked through since [`Self::may_hold_unsealed`] was asked.
    pub async fn nothing_is_unsealed(&self) -> Result<()> {
        let marker = self.shared.layout.sealed_vaults();
        files::off_thread(move || mark(&marker)).await?.map_err(|error| failed(&error))
    }
}
