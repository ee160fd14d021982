//! Opens an index as an LMDB environment; the only module that maps a file.

use std::path::{Path, PathBuf};

use heed::types::Bytes;
use heed::{CommitOrAbort, Env, EnvFlags, EnvOpenOptions, RoTxn, RwTxn, WithoutTls};
use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_crypto::folder_of;
use rustix::fs::statvfs;

use crate::check::{self, Identity};
use crate::errors::{corrupt, io, lmdb};
use crate::folders;
use crate::layout::DATA;
use crate::store::Store;

/// Reader slots across all processes: as many as fit in a lock file of one page.
pub(crate) const MAX_READERS: u32 = 62;
/// Minimum address space of a mapped index.
const LEAST_MAP: usize = 1 << 20;
/// Minimum free bytes: LMDB extends its lock file sparsely and then writes to it through the mapping, where a full
/// disk kills the process.
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
    /// Checks and opens the index in `folder`, with room for at least `room` more bytes.
    pub(crate) fn open(folder: &Path, access: Access, room: usize) -> Result<Self> {
        // LMDB opens its two files by name, one after the other; both must be of one folder. And the first process
        // creates the lock file while others wait for it: see `folders::hold`.
        let Some(_held) = folders::hold(folder)? else {
            return Err(io("opening", folder, &std::io::ErrorKind::NotFound.into()));
        };
        check::check(folder)?;
        Self::map(folder, access, room)
    }

    /// Creates an index in a folder that no other process uses.
    pub(crate) fn create(folder: &Path, room: usize) -> Result<Self> {
        Self::map(folder, Access::Write, room)
    }

    fn map(folder: &Path, access: Access, room: usize) -> Result<Self> {
        refuse_full(folder)?;
        let path = folder.join(DATA);
        refuse_mapping(&path).map_err(|e| lmdb("opening", &path, &e))?;
        let bytes = std::fs::metadata(&path).map_or(0, |meta| usize::try_from(meta.len()).unwrap_or(usize::MAX / 4));
        let map_bytes = (bytes.saturating_add(room) * 2).max(LEAST_MAP).next_multiple_of(LEAST_MAP);
        let env = open_mapped(folder, access, map_bytes).map_err(|e| lmdb("opening", &path, &e))?;
        // Slots of killed readers would prevent the reuse of pages.
        env.clear_stale_readers().map_err(|e| lmdb("opening", &path, &e))?;
        let file = env.try_clone_inner_file().map_err(|e| lmdb("opening", &path, &e))?;
        let id = Identity::of(&file.metadata().map_err(|e| io("checking", &path, &e))?);
        let store = open_store(&env).map_err(|e| lmdb("opening", &path, &e))?;
        let store = store.ok_or_else(|| corrupt(&path, "has no database"))?;
        Ok(Self { env, store, path, id, map_bytes })
    }

    /// The data file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The identity of the open file, to compare with the file at the path.
    pub(crate) fn id(&self) -> Identity {
        self.id
    }

    /// The mapped address space, in bytes.
    pub(crate) fn map_bytes(&self) -> usize {
        self.map_bytes
    }

    /// Starts a read transaction. Retries once after clearing slots of killed readers.
    pub(crate) fn read_txn(&self) -> heed::Result<RoTxn<'_, WithoutTls>> {
        refuse_mapping(&self.path)?;
        match self.env.read_txn() {
            Err(heed::Error::Mdb(heed::MdbError::ReadersFull)) => {
                self.env.clear_stale_readers()?;
                self.env.read_txn()
            }
            begun => begun,
        }
    }

    /// Starts a write transaction; waits for writers in other processes.
    pub(crate) fn write_txn(&self) -> heed::Result<RwTxn<'_>> {
        refuse_mapping(&self.path)?;
        self.env.clear_stale_readers()?;
        self.env.write_txn()
    }

    /// Bytes of the used pages, and of the file.
    pub(crate) fn page_bytes(&self) -> Result<(u64, u64)> {
        let stat = self.env.unnamed_database_stat();
        let pages = stat.branch_pages + stat.leaf_pages + stat.overflow_pages + 2;
        let file = self.env.real_disk_size().map_err(|e| lmdb("checking", &self.path, &e))?;
        Ok((pages as u64 * u64::from(stat.page_size), file))
    }
}

/// Refuses to write to the lock file, as every reader does, while a full disk could kill the process.
fn refuse_mapping(path: &Path) -> heed::Result<()> {
    let full = |none| heed::Error::Io(std::io::Error::new(std::io::ErrorKind::StorageFull, none));
    kimberly_crypto::refuse_mapping(folder_of(path)).map_err(full)
}

fn refuse_full(folder: &Path) -> Result<()> {
    match statvfs(folder).map(|found| found.f_bavail.saturating_mul(found.f_frsize)) {
        Ok(free) if free < FLOOR => {
            let detail = format!("{} has {free} bytes free; free at least {FLOOR}", folder.display());
            Err(Error::storage(StorageFailure::Full, detail))
        }
        // If the free space is unknown, the write itself fails on a full disk.
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
    // SAFETY: `open` is unsafe because a mapped file must be changed only through LMDB, and its pages must be valid.
    // The file is in our own folder, which nothing else writes; it was checked completely with ordinary reads just
    // before (`check`), or is being created; it is never truncated, overwritten or moved while open: only its folder
    // is replaced or unlinked as a whole, which leaves the mapping intact; nothing else in this process opens its
    // lock file; heed refuses to open a folder twice. `flags` is unsafe because some flags weaken locks or
    // durability: READ_ONLY does neither.
    unsafe {
        if access == Access::Read {
            options.flags(EnvFlags::READ_ONLY);
        }
        options.open(folder)
    }
}
