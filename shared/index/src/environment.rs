//! Opening an index as an LMDB environment: the only place that maps a file.

use std::path::{Path, PathBuf};

use heed::types::Bytes;
use heed::{CommitOrAbort, Env, EnvFlags, EnvOpenOptions, RoTxn, RwTxn, WithoutTls};
use kimberly_core::error::{Error, Result, StorageFailure};
use rustix::fs::statvfs;

use crate::check::{self, Identity};
use crate::errors::{corrupt, io, lmdb};
use crate::folders;
use crate::layout::DATA;
use crate::store::Store;

/// Slots for readers in all processes together: as many as fit a lock file of one page.
pub(crate) const MAX_READERS: u32 = 62;
/// Least address space of a mapped index.
const LEAST_MAP: usize = 1 << 20;
/// Bytes that must be free: LMDB makes its lock file longer than what is written of it, and then writes to it in memory, where a
/// full disk kills the process.
const FLOOR: u64 = 1 << 20;

/// Whether this process may write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
}

/// An open index.
#[derive(Debug)]
pub(crate) struct Environment {
    env: Env<WithoutTls>,
    pub(crate) store: Store,
    path: PathBuf,
    id: Identity,
    map_bytes: usize,
}

impl Environment {
    /// Opens the index in `folder` after checking it, with room for at least `room` bytes.
    pub(crate) fn open(folder: &Path, access: Access, room: usize) -> Result<Self> {
        // LMDB opens its two files by name, one after the other, and they must be of one folder; and it has whoever
        // comes first make the lock file while others wait for that one: see `folders::hold`.
        let Some(_held) = folders::hold(folder)? else {
            return Err(io("opening", folder, &std::io::ErrorKind::NotFound.into()));
        };
        check::check(folder)?;
        Self::map(folder, access, room)
    }

    /// Makes an index in a folder that nobody else uses.
    pub(crate) fn create(folder: &Path, room: usize) -> Result<Self> {
        Self::map(folder, Access::Write, room)
    }

    fn map(folder: &Path, access: Access, room: usize) -> Result<Self> {
        refuse_full(folder)?;
        let path = folder.join(DATA);
        let bytes = std::fs::metadata(&path).map_or(0, |meta| usize::try_from(meta.len()).unwrap_or(usize::MAX / 4));
        let map_bytes = (bytes.saturating_add(room) * 2).max(LEAST_MAP).next_multiple_of(LEAST_MAP);
        let env = open_mapped(folder, access, map_bytes).map_err(|e| lmdb("opening", &path, &e))?;
        // Slots of killed readers would keep pages from being used again.
        env.clear_stale_readers().map_err(|e| lmdb("opening", &path, &e))?;
        let file = env.try_clone_inner_file().map_err(|e| lmdb("opening", &path, &e))?;
        let id = Identity::of(&file.metadata().map_err(|e| io("looking at", &path, &e))?);
        let store = open_store(&env).map_err(|e| lmdb("opening", &path, &e))?;
        let store = store.ok_or_else(|| corrupt(&path, "has no database"))?;
        Ok(Self { env, store, path, id, map_bytes })
    }

    /// The data file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Tells whether the file at the path is still the one that is open.
    pub(crate) fn id(&self) -> Identity {
        self.id
    }

    /// Address space that it takes.
    pub(crate) fn map_bytes(&self) -> usize {
        self.map_bytes
    }

    /// Begins to read. Once more if slots of killed readers fill the table.
    pub(crate) fn read_txn(&self) -> heed::Result<RoTxn<'_, WithoutTls>> {
        match self.env.read_txn() {
            Err(heed::Error::Mdb(heed::MdbError::ReadersFull)) => {
                self.env.clear_stale_readers()?;
                self.env.read_txn()
            }
            begun => begun,
        }
    }

    /// Begins to write, after those that write in other processes.
    pub(crate) fn write_txn(&self) -> heed::Result<RwTxn<'_>> {
        self.env.clear_stale_readers()?;
        self.env.write_txn()
    }

    /// Bytes of the pages in use, and of the file.
    pub(crate) fn page_bytes(&self) -> Result<(u64, u64)> {
        let stat = self.env.unnamed_database_stat();
        let pages = stat.branch_pages + stat.leaf_pages + stat.overflow_pages + 2;
        let file = self.env.real_disk_size().map_err(|e| lmdb("looking at", &self.path, &e))?;
        Ok((pages as u64 * u64::from(stat.page_size), file))
    }
}

fn refuse_full(folder: &Path) -> Result<()> {
    match statvfs(folder).map(|found| found.f_bavail.saturating_mul(found.f_frsize)) {
        Ok(free) if free < FLOOR => {
            let detail = format!("{} has {free} bytes free; free at least {FLOOR}", folder.display());
            Err(Error::storage(StorageFailure::Full, detail))
        }
        // A disk that does not say what is free says so when it is written to.
        _ => Ok(()),
    }
}

fn open_store(env: &Env<WithoutTls>) -> heed::Result<Option<Store>> {
    let txn = env.read_txn()?;
    let opened = env.open_databases_and_commit(txn, |opener, txn| {
        opener.open_database::<Bytes, Bytes>(txn, None).map(CommitOrAbort::<_, ()>::Commit)
    })?;
    Ok(opened.commit().flatten())
}

#[expect(unsafe_code, reason = "mapping a file is unsafe; this is the one place that does it")]
fn open_mapped(folder: &Path, access: Access, map_bytes: usize) -> heed::Result<Env<WithoutTls>> {
    let mut options = EnvOpenOptions::new().read_txn_without_tls();
    options.map_size(map_bytes).max_readers(MAX_READERS);
    // SAFETY: `open` is unsafe because a mapped file must not be changed but through LMDB, and its pages must be sound.
    // The file lies in a folder of ours that nothing else writes; it was checked in full by ordinary reads just before
    // (`check`), or is being made; it is never truncated, overwritten or moved while it is open, only its folder is
    // exchanged as a whole or unlinked, which leaves the mapping as it is; its lock file is never opened by anything
    // else in this process; heed refuses to open one folder twice. `flags` is unsafe because of those that weaken
    // locks or durability: READ_ONLY does neither.
    unsafe {
        if access == Access::Read {
            options.flags(EnvFlags::READ_ONLY);
        }
        options.open(folder)
    }
}
