//! Whether the write-ahead log of a vault holds everything that was committed.
//!
//! SQLite reads a log up to the first frame whose checksum does not fit, since that is where a loss of power cuts it: so what
//! is damaged in the middle, or cut off, would silently be missing. How far the log was committed also stands in the index
//! beside it (`-shm`), with a checksum of its own, which outlives a killed process: the first to open the vault compares the two, before
//! SQLite makes the index again. The index is written after the log is on disk, and never says more than that.
//!
//! A process does so once for each vault, before its first connection and never later: a process that closes a file drops all locks
//! that his process holds on it, those of SQLite among them.

use std::collections::HashSet;
use std::fs::File;
use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, BufReader, Read};
use std::path::Path;
use std::sync::{LazyLock, Mutex, PoisonError};

use kimberly_core::error::Result;

use crate::sqlite::errors;
use crate::sqlite::files::beside;

/// Bytes of one header of the index, of which there are two copies, and where it says how much of the log is in the database.
const HEADER: usize = 48;
const BACKFILLED: usize = 96;
const INDEX: usize = 100;
/// Bytes in front of the log, and in front of each frame.
const LOG_HEADER: usize = 32;
const FRAME_HEADER: usize = 24;
/// What a log begins with; the last bit says in which order its checksums read bytes.
const MAGIC: u32 = 0x377f_0682;

/// Hashes of the paths whose logs this process has seen to be whole, and connections to which it may have.
struct Seen {
    hasher: RandomState,
    shards: [Mutex<HashSet<u64>>; SHARDS],
}

/// So many vaults can be looked at at once.
const SHARDS: usize = 64;
static SEEN: LazyLock<Seen> =
    LazyLock::new(|| Seen { hasher: RandomState::new(), shards: std::array::from_fn(|_| Mutex::default()) });

/// What the index says of the log.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Index {
    frames: u32,
    backfilled: u32,
    salt: [u8; 8],
    page: usize,
}

/// Refuses a vault whose log lacks frames that were committed. Says nothing where there is no log, or no index to compare
/// it with, or where this process has looked before. To be called before any connection is opened.
pub(crate) fn refuse_shortened(database: &Path) -> Result<()> {
    let hash = SEEN.hasher.hash_one(database);
    let shard = usize::try_from(hash % SHARDS as u64).unwrap_or_default();
    let mut seen = SEEN.shards[shard].lock().unwrap_or_else(PoisonError::into_inner);
    if seen.contains(&hash) {
        return Ok(());
    }
    let whole = is_whole(database).map_err(|error| errors::io("reading the log of a vault", &error))?;
    if whole {
        seen.insert(hash);
        Ok(())
    } else {
        Err(errors::corrupt("the write-ahead log of the vault lacks frames that were committed"))
    }
}

fn is_whole(database: &Path) -> io::Result<bool> {
    let (log, index) = (beside(database, "-wal"), beside(database, "-shm"));
    let Some(said) = read_index(&index)? else { return Ok(true) };
    if said.frames <= said.backfilled || holds(&log, said)? {
        return Ok(true);
    }
    // Who has it open meanwhile may have begun the log again.
    Ok(read_index(&index)? != Some(said))
}

/// The index, if there is one that fits its own checksum.
fn read_index(path: &Path) -> io::Result<Option<Index>> {
    let mut bytes = [0; INDEX];
    match File::open(path).and_then(|mut file| file.read_exact(&mut bytes)) {
        Ok(()) => {}
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::UnexpectedEof) => {
            return Ok(None);
        }
        Err(error) => return Err(error),
    }
    let (first, second) = (&bytes[..HEADER], &bytes[HEADER..2 * HEADER]);
    let native = |at: usize| u32::from_ne_bytes(four(&bytes, at));
    let sums = sums(u32::from_ne_bytes, (0, 0), &first[..40]);
    if first != second || sums != (native(40), native(44)) || first[12] == 0 {
        return Ok(None);
    }
    let page = u16::from_ne_bytes([bytes[14], bytes[15]]);
    let mut salt = [0; 8];
    salt.copy_from_slice(&bytes[32..40]);
    let page = if page == 1 { 65_536 } else { usize::from(page) };
    Ok(Some(Index { frames: native(16), backfilled: native(BACKFILLED), salt, page }))
}

/// Whether all frames that the index speaks of are in the log, as they were written.
fn holds(path: &Path, said: Index) -> io::Result<bool> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error),
    };
    let mut log = BufReader::with_capacity(1 << 16, file);
    let mut header = [0; LOG_HEADER];
    if !fill(&mut log, &mut header)? {
        return Ok(false);
    }
    let magic = u32::from_be_bytes(four(&header, 0));
    let word = if magic & 1 == 1 { u32::from_be_bytes } else { u32::from_le_bytes };
    let mut so_far = sums(word, (0, 0), &header[..24]);
    if magic & !1 != MAGIC || header[16..24] != said.salt || so_far != stored(&header, 24) {
        return Ok(false);
    }
    let mut frame = vec![0; FRAME_HEADER + said.page];
    for _ in 0..said.frames {
        if !fill(&mut log, &mut frame)? {
            return Ok(false);
        }
        so_far = sums(word, sums(word, so_far, &frame[..8]), &frame[FRAME_HEADER..]);
        if frame[8..16] != said.salt || so_far != stored(&frame, 16) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Reads as many bytes; `false` if there are fewer.
fn fill(from: &mut impl Read, bytes: &mut [u8]) -> io::Result<bool> {
    match from.read_exact(bytes) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

/// SQLite's checksum, behind what was summed before.
fn sums(word: fn([u8; 4]) -> u32, before: (u32, u32), bytes: &[u8]) -> (u32, u32) {
    bytes.chunks_exact(8).fold(before, |(first, second), pair| {
        let first = first.wrapping_add(word(four(pair, 0))).wrapping_add(second);
        (first, second.wrapping_add(word(four(pair, 4))).wrapping_add(first))
    })
}

/// A checksum as it is stored, whatever order it was made in.
fn stored(bytes: &[u8], at: usize) -> (u32, u32) {
    (u32::from_be_bytes(four(bytes, at)), u32::from_be_bytes(four(bytes, at + 4)))
}

fn four(bytes: &[u8], at: usize) -> [u8; 4] {
    let mut four = [0; 4];
    if let Some(found) = bytes.get(at..at + 4) {
        four.copy_from_slice(found);
    }
    four
}
