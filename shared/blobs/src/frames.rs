//! The format of an object: a header, then frames.
//!
//! The header is `KMBBLOB` and 1. If a sensitive key of the user seals the object, the header is `KMBBLOB`, 2 and the
//! generation of that key (u32, big-endian). Each frame is its length (u32, big-endian; the highest bit marks the last
//! frame) and the sealed bytes. A sealed frame holds a byte for the compression (0 none, 1 zstd) and the data:
//! [`FRAME`] bytes, fewer in the last frame. An empty blob is one empty frame. Nothing follows the last frame.
//!
//! The length of a sealed frame varies, so a frame is located by the lengths of those before it. A download from an
//! offset reads the object from its start, but opens no frame before the offset.

use kimberly_core::error::Result;
use kimberly_crypto::FRAME_OVERHEAD;

use crate::errors;
use crate::keys::BlobSeal;

/// Bytes per frame before compression.
pub const FRAME: usize = 64 * 1024;
const HEADER: &[u8; 8] = b"KMBBLOB\x01";
/// Header of objects under a sensitive key. The key's generation follows it.
const SENSITIVE: &[u8; 8] = b"KMBBLOB\x02";
const GENERATION: usize = 4;
const LENGTH: usize = 4;
const LAST: u32 = 1 << 31;
const PLAIN: u8 = 0;
const ZSTD: u8 = 1;
/// zstd's default level, which is fast and reaches most of the possible compression.
const LEVEL: i32 = 3;
/// Maximum size of a sealed frame, in bytes.
const MAX_SEALED: usize = FRAME + 1 + FRAME_OVERHEAD;

/// Encodes bytes into an object.
#[derive(Debug)]
pub(crate) struct Packer {
    seal: BlobSeal,
    gathered: Vec<u8>,
    index: u64,
}

impl Packer {
    pub(crate) fn new(seal: BlobSeal) -> Self {
        Self { seal, gathered: Vec::with_capacity(FRAME), index: 0 }
    }

    /// Adds bytes, and appends completed frames to `out`.
    pub(crate) fn push(&mut self, mut bytes: &[u8], out: &mut Vec<u8>) -> Result<()> {
        while !bytes.is_empty() {
            // A full frame is kept until more bytes arrive, since it may be the last one.
            if self.gathered.len() == FRAME {
                self.frame(false, out)?;
            }
            let (now, later) = bytes.split_at(bytes.len().min(FRAME - self.gathered.len()));
            self.gathered.extend_from_slice(now);
            bytes = later;
        }
        Ok(())
    }

    /// Appends the last frame.
    pub(crate) fn finish(mut self, out: &mut Vec<u8>) -> Result<()> {
        self.frame(true, out)
    }

    fn frame(&mut self, last: bool, out: &mut Vec<u8>) -> Result<()> {
        if self.index == 0 {
            match self.seal.generation() {
                None => out.extend_from_slice(HEADER),
                Some(generation) => {
                    out.extend_from_slice(SENSITIVE);
                    out.extend_from_slice(&generation.to_be_bytes());
                }
            }
        }
        let sealed = self.seal.seal(self.index, last, &packed(&self.gathered))?;
        let length = u32::try_from(sealed.len()).map_err(|_| errors::damaged("a frame is too long to be written"))?;
        out.extend_from_slice(&(length | if last { LAST } else { 0 }).to_be_bytes());
        out.extend_from_slice(&sealed);
        self.gathered.clear();
        self.index += 1;
        Ok(())
    }
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut whole = vec![ZSTD];
    match zstd::bulk::compress(bytes, LEVEL) {
        Ok(packed) if packed.len() < bytes.len() => whole.extend_from_slice(&packed),
        _ => {
            whole[0] = PLAIN;
            whole.extend_from_slice(bytes);
        }
    }
    whole
}

/// Decodes an object into bytes.
#[derive(Debug)]
pub(crate) struct Unpacker {
    seal: BlobSeal,
    gathered: Vec<u8>,
    /// Consumed bytes of `gathered`.
    read: usize,
    index: u64,
    began: bool,
    ended: bool,
}

impl Unpacker {
    pub(crate) fn new(seal: BlobSeal) -> Self {
        Self { seal, gathered: Vec::new(), read: 0, index: 0, began: false, ended: false }
    }

    /// Adds the next bytes of the object.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.gathered.drain(..self.read);
        self.read = 0;
        self.gathered.extend_from_slice(bytes);
    }

    /// Returns the bytes of the next frame, or `None` if it is incomplete. Frames before `from` are returned empty,
    /// with only their length checked; the last frame is always opened.
    pub(crate) fn next(&mut self, from: u64) -> Result<Option<Vec<u8>>> {
        if !self.began && !self.begin()? {
            return Ok(None);
        }
        let rest = self.gathered.get(self.read..).unwrap_or_default();
        if self.ended {
            return if rest.is_empty() { Ok(None) } else { Err(errors::damaged("it continues after its end")) };
        }
        let Some((length, rest)) = rest.split_first_chunk::<LENGTH>() else { return Ok(None) };
        let length = u32::from_be_bytes(*length);
        let (last, length) = (length & LAST != 0, (length & !LAST) as usize);
        if !(FRAME_OVERHEAD + 1..=MAX_SEALED).contains(&length) {
            return Err(errors::damaged("a frame has an impossible length"));
        }
        let Some(sealed) = rest.get(..length) else { return Ok(None) };
        let skipped = self.index < from && !last;
        let bytes = if skipped { Vec::new() } else { self.opened(last, sealed)? };
        self.read += LENGTH + length;
        self.index += 1;
        self.ended = last;
        Ok(Some(bytes))
    }

    /// Reads the header and selects the key. Returns `false` if the header is incomplete.
    fn begin(&mut self) -> Result<bool> {
        let Some((header, rest)) =
            self.gathered.get(self.read..).and_then(<[u8]>::split_first_chunk::<{ HEADER.len() }>)
        else {
            return Ok(false);
        };
        if header == SENSITIVE {
            let Some(generation) = rest.first_chunk::<GENERATION>() else { return Ok(false) };
            self.seal.open_as_sensitive(u32::from_be_bytes(*generation))?;
            self.read += GENERATION;
        } else if header != HEADER {
            return Err(errors::damaged("it has a wrong beginning, or a newer version wrote it"));
        }
        self.read += HEADER.len();
        self.began = true;
        Ok(true)
    }

    /// Returns the index of the next frame.
    pub(crate) fn index(&self) -> u64 {
        self.index
    }

    /// Refuses an object that ends before its last frame.
    pub(crate) fn end(&self) -> Result<()> {
        let whole = self.ended && self.read == self.gathered.len();
        if whole { Ok(()) } else { Err(errors::damaged("it is truncated")) }
    }

    fn opened(&self, last: bool, sealed: &[u8]) -> Result<Vec<u8>> {
        unpacked(&self.seal.open(self.index, last, sealed)?, last)
    }
}

/// Returns the bytes of an opened frame, decompressed if needed.
pub(crate) fn unpacked(frame: &[u8], last: bool) -> Result<Vec<u8>> {
    let (packing, bytes) = frame.split_first().ok_or_else(|| errors::damaged("a frame is empty"))?;
    let bytes = match *packing {
        PLAIN => bytes.to_vec(),
        ZSTD => zstd::bulk::decompress(bytes, FRAME).map_err(|_| errors::damaged("a frame cannot be decompressed"))?,
        _ => return Err(errors::damaged("a frame has a compression unknown to this build")),
    };
    if bytes.len() > FRAME || (!last && bytes.len() != FRAME) {
        return Err(errors::damaged("a frame has a wrong number of bytes"));
    }
    Ok(bytes)
}
