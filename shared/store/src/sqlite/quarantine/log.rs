//! Checks whether a vault's write-ahead log contains everything that was committed.
//!
//! SQLite reads a log up to the first frame with a wrong checksum, because a power failure cuts a log there. Frames
//! that were damaged in the middle or cut off would therefore be missing silently. The index beside the log (`-shm`)
//! also records how far the log was committed, with its own checksum, and survives a killed process. The first process
//! to open the vault compares the two before SQLite rebuilds the index. The index is written after the log is durable,
//! so it never claims more than the log holds.
//!
//! A process checks each vault once, before its first connection and never later: closing a file drops all locks that
//! the process holds on it, including SQLite's.

use std::collections::HashSet;
use std::fs::File;
use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, BufReader, Read};
use std::path::Path;
use std::sync::{LazyLock, Mutex, PoisonError};

use kimberly_core::error::Result;

use crate::sqlite::errors;
use crate::sqlite::files::beside;

/// Bytes of one header of the index, which has two copies; the offset of the number of frames already in the database;
/// and the bytes to read.
const HEADER: usize = 48;
const BACKFILLED: usize = 96;
const INDEX: usize = 100;
/// Bytes of the log's header and of each frame's header.
const LOG_HEADER: usize = 32;
const FRAME_HEADER: usize = 24;
/// Magic number of a log; the lowest bit is the byte order of its checksums.
const MAGIC: u32 = 0x377f_0682;

/// Hashes of the paths whose logs this process has checked, and to which it may have connections.
struct Seen {
    hasher: RandomState,
    shards: [Mutex<HashSet<u64>>; SHARDS],
}

/// Number of vaults that can be checked at once.
const SHARDS: usize = 64;
static SEEN: LazyLock<Seen> =
    LazyLock::new(|| Seen { hasher: RandomState::new(), shards: std::array::from_fn(|_| Mutex::default()) });

/// The log's state according to its index.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Index {
    frames: u32,
    backfilled: u32,
    salt: [u8; 8],
    page: usize,
}

/// Refuses a vault whose log lacks committed frames. Accepts it if there is no log, if there is no index to compare
/// with, or if this process has checked it before. Must be called before any connection is opened.
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
    // Another process that has the vault open may have restarted the log meanwhile.
    Ok(read_index(&index)? != Some(said))
}

/// Returns the index if it exists and matches its checksum.
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

/// Reports whether the log contains all frames that the index claims, intact.
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
