//! Checks whether a vault's write-ahead log contains everything that was committed.
//!
//! SQLite reads a log up to the first frame with a wrong checksum, because a power failure cuts a log there. Frames
//! that were damaged in the middle or cut off would therefore be missing silently, and the frames before them would hide
//! newer pages of the database. Two things show it:
//!
//! - The log itself. Its header never breaks in a power failure, as it is smaller than a sector. A frame that continues
//!   after a commit was written once that commit was durable, so everything before it must be intact.
//! - The index beside the log (`-shm`), which records how far the log was committed, and survives a killed process. It is
//!   written after the log is durable, but never synced: after a power failure, it may describe an older log or an earlier
//!   part of this one. It therefore only counts if it has the log's salts; then it never claims more than the log holds.
//!
//! While another process has the vault open, nothing is checked: that process has checked it, and SQLite uses the index
//! that they share. Otherwise, SQLite rebuilds the index from the log.
//!
//! A process compares each vault with its index once, before its first connection and never later: closing a file drops
//! all locks that the process holds on it, including SQLite's.

use std::collections::HashSet;
use std::fs::File;
use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, BufReader, Read};
use std::path::Path;
use std::sync::{LazyLock, Mutex, PoisonError};

use kimberly_core::error::Result;
use rustix::process::{Flock, FlockType, fcntl_getlk};

use crate::sqlite::errors;
use crate::sqlite::files::{beside, sync_data};

/// Bytes of one header of the index, which has two copies.
const HEADER: usize = 48;
/// The byte of the index that every process with the database open has locked (SQLite's `UNIX_SHM_DMS`).
const IN_USE: u64 = 128;
/// Bytes of the log's header and of each frame's header.
const LOG_HEADER: usize = 32;
const FRAME_HEADER: usize = 24;
/// Magic number of a log; the lowest bit is the byte order of its checksums.
const MAGIC: u32 = 0x377f_0682;
/// The smallest and the largest page of a database.
const PAGES: std::ops::RangeInclusive<u32> = 512..=65_536;

/// Hashes of the paths whose logs this process has checked, and to which it may have connections.
struct Seen {
    hasher: RandomState,
    shards: [Mutex<HashSet<u64>>; SHARDS],
}

/// Number of vaults that can be checked at once.
const SHARDS: usize = 64;
static SEEN: LazyLock<Seen> =
    LazyLock::new(|| Seen { hasher: RandomState::new(), shards: std::array::from_fn(|_| Mutex::default()) });

/// What can show that a log lacks frames.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Evidence {
    /// The log and its index.
    Index,
    /// Only the log, even if this process has checked it before.
    Log,
}

/// The log's state according to its index.
#[derive(Clone, Copy)]
struct Index {
    frames: u32,
    salt: [u8; 8],
}

/// The header of a log.
struct Header {
    page: usize,
    salt: [u8; 8],
    /// Reads a word in the byte order of the checksums.
    word: fn([u8; 4]) -> u32,
    /// The checksum that the first frame continues.
    sum: (u32, u32),
}

/// Refuses a vault whose log lacks committed frames. With the index, accepts it if this process has checked it before,
/// and must be called before any connection is opened.
pub(crate) fn refuse_shortened(database: &Path, evidence: Evidence) -> Result<()> {
    let hash = SEEN.hasher.hash_one(database);
    let shard = usize::try_from(hash % SHARDS as u64).unwrap_or_default();
    let mut seen = SEEN.shards[shard].lock().unwrap_or_else(PoisonError::into_inner);
    if evidence == Evidence::Index && seen.contains(&hash) {
        return Ok(());
    }
    let whole = is_whole(database, evidence).map_err(|error| errors::io("reading the log of a vault", &error))?;
    if whole {
        seen.insert(hash);
        Ok(())
    } else {
        Err(errors::corrupt("the write-ahead log of the vault lacks frames that were committed"))
    }
}

fn is_whole(database: &Path, evidence: Evidence) -> io::Result<bool> {
    let log = beside(database, "-wal");
    let index = if evidence == Evidence::Index { open(&beside(database, "-shm"))? } else { None };
    let Some(mut index) = index else { return is_complete(&log, None) };
    // Another process may open the vault and change the log meanwhile.
    Ok(is_in_use(&index)? || is_complete(&log, read_index(&mut index)?)? || is_in_use(&index)?)
}

fn open(path: &Path) -> io::Result<Option<File>> {
    match File::open(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Reports whether another process has the database open.
fn is_in_use(index: &File) -> io::Result<bool> {
    let lock = Flock { start: IN_USE, length: 1, ..FlockType::WriteLock.into() };
    Ok(fcntl_getlk(index, &lock)?.is_some())
}

/// Returns the index if it matches its checksum.
fn read_index(file: &mut File) -> io::Result<Option<Index>> {
    let mut bytes = [0; 2 * HEADER];
    if !fill(file, &mut bytes)? {
        return Ok(None);
    }
    let (first, second) = bytes.split_at(HEADER);
    let native = |at: usize| u32::from_ne_bytes(four(&bytes, at));
    let sums = sums(u32::from_ne_bytes, (0, 0), &first[..40]);
    if first != second || sums != (native(40), native(44)) || first[12] == 0 {
        return Ok(None);
    }
    let mut salt = [0; 8];
    salt.copy_from_slice(&bytes[32..40]);
    Ok(Some(Index { frames: native(16), salt }))
}

/// Reports whether the log contains all frames that were committed, as far as it and the index show that.
fn is_complete(path: &Path, index: Option<Index>) -> io::Result<bool> {
    let Some(file) = open(path)? else { return Ok(true) };
    // A killed process may have left a commit that is not durable. SQLite will count it in the new index.
    sync_data(&file, path)?;
    let empty = file.metadata()?.len() == 0;
    let mut log = BufReader::with_capacity(1 << 16, file);
    let mut header = [0; LOG_HEADER];
    if empty || !fill(&mut log, &mut header)? {
        return Ok(empty);
    }
    // Space was allocated, but nothing written.
    if header == [0; LOG_HEADER] {
        return Ok(true);
    }
    let Some(header) = read_header(&header) else { return Ok(false) };
    let frames = index.filter(|index| index.salt == header.salt).map_or(0, |index| index.frames);
    holds(&mut log, &header, frames)
}

/// Returns a log's header if it is intact.
fn read_header(bytes: &[u8; LOG_HEADER]) -> Option<Header> {
    let big = |at: usize| u32::from_be_bytes(four(bytes, at));
    let (magic, page) = (big(0), big(8));
    let word = if magic & 1 == 1 { u32::from_be_bytes } else { u32::from_le_bytes };
    let sum = sums(word, (0, 0), &bytes[..24]);
    let is_intact = magic & !1 == MAGIC && sum == stored(bytes, 24) && PAGES.contains(&page);
    let mut salt = [0; 8];
    salt.copy_from_slice(&bytes[16..24]);
    is_intact.then_some(Header { page: usize::try_from(page).ok()?, salt, word, sum })
}

/// Reports whether this many frames follow, and no commit after the first frame that is missing or damaged is followed
/// by another frame.
fn holds(log: &mut impl Read, header: &Header, frames: u32) -> io::Result<bool> {
    let mut frame = vec![0; FRAME_HEADER + header.page];
    let (mut so_far, mut intact, mut broken, mut committed) = (header.sum, 0, false, false);
    while fill(log, &mut frame)? {
        let (stored, word) = (stored(&frame, 16), header.word);
        let follows = frame[8..16] == header.salt
            && sums(word, sums(word, so_far, &frame[..8]), &frame[FRAME_HEADER..]) == stored;
        if follows && committed {
            return Ok(false);
        }
        broken |= !follows;
        intact += u32::from(!broken);
        // A commit's frame has the size of the database.
        committed = broken && follows && four(&frame, 4) != [0; 4];
        so_far = stored;
    }
    Ok(intact >= frames)
}

/// Fills the buffer; returns `false` if there are too few bytes.
fn fill(from: &mut impl Read, bytes: &mut [u8]) -> io::Result<bool> {
    match from.read_exact(bytes) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

/// Continues SQLite's checksum over more bytes.
fn sums(word: fn([u8; 4]) -> u32, before: (u32, u32), bytes: &[u8]) -> (u32, u32) {
    bytes.chunks_exact(8).fold(before, |(first, second), pair| {
        let first = first.wrapping_add(word(four(pair, 0))).wrapping_add(second);
        (first, second.wrapping_add(word(four(pair, 4))).wrapping_add(first))
    })
}

/// Reads a stored checksum, which is big-endian whatever byte order it was computed in.
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
