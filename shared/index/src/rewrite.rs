//! Creates and compacts indices: in a staging folder, which then replaces the index.
//!
//! LMDB never overwrites a page that a reader may still use and never shrinks the file: removed vectors stay in free
//! pages until those are reused. So compaction copies an index key by key in order, which also fills its pages; the
//! copy holds only live data. Small indices are compacted right after a removal, large ones once that saves enough.

use std::path::Path;

use heed::{PutFlags, RwTxn};
use kimberly_core::error::Result;

use crate::changes::Change;
use crate::environment::Environment;
use crate::errors::{WriteFailure, lmdb, unavailable, write};
use crate::folders::Held;
use crate::stamp::Stamp;
use crate::store::{STAMP, Snapshot};

/// Up to this many live bytes, removed vectors are physically gone when the write that removed them returns.
const CHEAP: u64 = 8 << 20;
/// Allowed free space besides a quarter of the live data, while writes continue.
const SLACK_PAGES: u64 = 8 * 4_096;
/// How often the mapping may be enlarged for one transaction; it doubles each time.
const ATTEMPTS: u32 = 16;

/// Creates an index with the items of `change`, atomically.
pub(crate) fn create(held: &Held, target: &Path, change: &Change<'_>) -> Result<()> {
    let staged = held.staging()?;
    let mut room = change.room();
    for _ in 0..ATTEMPTS {
        let env = Environment::create(&staged, room)?;
        match change.begin(&env) {
            Ok(()) => {
                drop(env);
                return held.put_in_place(&staged, target);
            }
            Err(WriteFailure::MapFull) => room = env.map_bytes(),
            Err(WriteFailure::Other(error)) => return Err(error),
        }
    }
    Err(unavailable(target, "is too large to be mapped"))
}

/// Whether a compaction is worthwhile.
pub(crate) fn is_due(env: &Environment, finished: bool) -> Result<bool> {
    let erased = {
        let txn = env.read_txn().map_err(|error| lmdb("reading", env.path(), &error))?;
        Snapshot::new(&txn, env.store, env.path())?.stamp.erased > 0
    };
    let (live, file) = env.page_bytes()?;
    let garbage = file.saturating_sub(live);
    if live > CHEAP {
        return Ok(garbage > live / 4);
    }
    Ok(erased || garbage > live / 4 + SLACK_PAGES || (finished && garbage > live / 8))
}

/// Compacts the open index and closes it. On an error it stays unchanged.
pub(crate) fn compact(held: &Held, target: &Path, slot: &mut Option<Environment>) -> Result<()> {
    let Some(source) = slot.as_ref() else { return Ok(()) };
    let staged = held.staging()?;
    let (live, _) = source.page_bytes()?;
    let mut room = usize::try_from(live).unwrap_or(usize::MAX / 4);
    for _ in 0..ATTEMPTS {
        let copy = Environment::create(&staged, room)?;
        match copy_all(source, &copy) {
            Ok(()) => {
                drop(copy);
                // Closed before it is replaced: the next open gets the copy.
                *slot = None;
                return held.put_in_place(&staged, target);
            }
            Err(WriteFailure::MapFull) => room = copy.map_bytes(),
            Err(WriteFailure::Other(error)) => return Err(error),
        }
    }
    Err(unavailable(target, "is too large to be mapped"))
}

fn copy_all(source: &Environment, copy: &Environment) -> Result<(), WriteFailure> {
    let txn = source.read_txn().map_err(|error| lmdb("reading", source.path(), &error))?;
    let stamp = Stamp { erased: 0, ..Snapshot::new(&txn, source.store, source.path())?.stamp };
    let mut into = copy.write_txn().map_err(|error| write(copy.path(), &error))?;
    for entry in source.store.iter(&txn).map_err(|error| lmdb("reading", source.path(), &error))? {
        let (key, value) = entry.map_err(|error| lmdb("reading", source.path(), &error))?;
        if key == STAMP {
            append(&mut into, copy, key, &stamp.encode())?;
        } else {
            append(&mut into, copy, key, value)?;
        }
    }
    into.commit().map_err(|error| write(copy.path(), &error))
}

fn append(txn: &mut RwTxn<'_>, copy: &Environment, key: &[u8], value: &[u8]) -> Result<(), WriteFailure> {
    copy.store.put_with_flags(txn, PutFlags::APPEND, key, value).map_err(|error| write(copy.path(), &error))
}
