//! Blocks: rows packed to fill whole pages, in one value.
//!
//! LMDB stores a value above 2 KB in overflow pages, with 16 bytes of header in the first. Blocks are sized to waste
//! little of these pages: ten rows of 384 dimensions take just less than one page, 200 vectors 20 pages. Layout,
//! little-endian: `rows u16 | 0 u16 | bytes of metas u32 | CRC-32 of all that follows u32 | inverse lengths f32 ×
//! rows | components i8 × dimension × rows | metas`. A meta is `subject | chunk | revision | fingerprint`, numbers in
//! LEB128 except the fingerprint; a subject is a number, twice a memory's or 1 followed by the 16 bytes of a goal's
//! id.

use kimberly_core::embedding::VectorSubject;
use kimberly_core::ids::{GoalId, Seq};
use uuid::Uuid;

use crate::quantize::Quantized;

const PAGE: usize = 4_096;
const PAGE_HEADER: usize = 16;
const HEADER: usize = 12;
/// Bytes of meta and inverse length per row that the layout assumes; more takes one more page.
const USUAL_EXTRA: usize = 22;
/// Maximum pages of a block; larger blocks make a change of one row write more.
const MAX_PAGES: usize = 8;
/// A block may waste 1/`WASTE` of its pages.
const WASTE: usize = 20;

/// The subject of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Meta {
    pub(crate) subject: VectorSubject,
    pub(crate) chunk: u16,
    pub(crate) revision: u64,
    pub(crate) fingerprint: u64,
}

/// Rows per block for vectors of `dimension`: the fewest pages that waste little.
pub(crate) const fn rows_per_block(dimension: usize) -> usize {
    let row = dimension + USUAL_EXTRA;
    let mut best = 0;
    let mut best_pages = 1;
    let mut pages = 1;
    while pages <= MAX_PAGES {
        let room = pages * PAGE - PAGE_HEADER - HEADER;
        let rows = room / row;
        if rows * best_pages > best * pages {
            (best, best_pages) = (rows, pages);
        }
        if best > 0 && best * row * WASTE >= best_pages * PAGE * (WASTE - 1) {
            return best;
        }
        pages += 1;
    }
    if best == 0 { 1 } else { best }
}

/// A stored block, parsed, with validated sizes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block<'a> {
    lengths: &'a [u8],
    components: &'a [i8],
    metas: &'a [u8],
    dimension: usize,
}

impl<'a> Block<'a> {
    /// Parses a block; the error says what does not fit.
    pub(crate) fn parse(bytes: &'a [u8], dimension: usize) -> Result<Self, &'static str> {
        let (header, rest) = bytes.split_at_checked(HEADER).ok_or("a block is truncated")?;
        let rows = usize::from(u16::from_le_bytes([header[0], header[1]]));
        let meta_bytes = le_u32(&header[4..8]) as usize;
        let vectors = rows * dimension;
        if rows == 0 || header[2] != 0 || header[3] != 0 || rest.len() != rows * 4 + vectors + meta_bytes {
            return Err("a block has the wrong size");
        }
        let (lengths, tail) = rest.split_at(rows * 4);
        let (components, metas) = tail.split_at(vectors);
        let components = bytemuck::cast_slice(components);
        Ok(Self { lengths, components, metas, dimension })
    }

    /// Number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.lengths.len() / 4
    }

    /// The components of a row and the inverse of its length.
    pub(crate) fn row(&self, slot: usize) -> Option<(&'a [i8], f32)> {
        let components = self.components.get(slot * self.dimension..(slot + 1) * self.dimension)?;
        let length = self.lengths.get(slot * 4..slot * 4 + 4)?;
        Some((components, f32::from_bits(le_u32(length))))
    }

    /// The components of all rows, concatenated, and the inverse length of each.
    pub(crate) fn vectors(&self) -> (&'a [i8], impl Iterator<Item = f32> + use<'a>) {
        (self.components, self.lengths.chunks_exact(4).map(|bits| f32::from_bits(le_u32(bits))))
    }

    /// The metas of the rows, in order; an error item if one is malformed.
    pub(crate) fn metas(&self) -> Metas<'a> {
        Metas { rest: self.metas, left: self.rows() }
    }
}

/// The number of rows and the bytes of their components, if the checksum matches.
pub(crate) fn intact_rows(bytes: &[u8]) -> Option<(usize, usize)> {
    let (header, rest) = bytes.split_at_checked(HEADER)?;
    let rows = usize::from(u16::from_le_bytes([header[0], header[1]]));
    let components = rest.len().checked_sub(rows * 4)?.checked_sub(le_u32(&header[4..8]) as usize)?;
    (crc32fast::hash(rest) == le_u32(&header[8..HEADER])).then_some((rows, components))
}

/// Iterates over metas.
pub(crate) struct Metas<'a> {
    rest: &'a [u8],
    left: usize,
}

impl Iterator for Metas<'_> {
    type Item = Result<Meta, &'static str>;

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        Some(read_meta(&mut self.rest).ok_or("a row has an invalid subject"))
    }
}

/// Encodes rows as one block.
pub(crate) fn encode<'a>(rows: impl Iterator<Item = (&'a Meta, &'a Quantized)>) -> Vec<u8> {
    let (mut lengths, mut components, mut metas) = (Vec::new(), Vec::new(), Vec::new());
    let mut count = 0_u16;
    for (meta, vector) in rows {
        count += 1;
        lengths.extend_from_slice(&vector.inverse_length.to_le_bytes());
        components.extend_from_slice(bytemuck::cast_slice(&vector.components));
        write_meta(&mut metas, meta);
    }
    let mut bytes = Vec::with_capacity(HEADER + lengths.len() + components.len() + metas.len());
    bytes.extend_from_slice(&count.to_le_bytes());
    bytes.extend_from_slice(&[0, 0]);
    bytes.extend_from_slice(&u32::try_from(metas.len()).unwrap_or(u32::MAX).to_le_bytes());
    bytes.extend_from_slice(&[0; 4]);
    bytes.extend_from_slice(&lengths);
    bytes.extend_from_slice(&components);
    bytes.extend_from_slice(&metas);
    let checksum = crc32fast::hash(&bytes[HEADER..]);
    bytes[8..HEADER].copy_from_slice(&checksum.to_le_bytes());
    bytes
}

fn write_meta(out: &mut Vec<u8>, meta: &Meta) {
    match meta.subject {
        VectorSubject::Memory(Seq(seq)) => write_number(out, seq.cast_unsigned() << 1),
        VectorSubject::Goal(GoalId(id)) => {
            write_number(out, 1);
            out.extend_from_slice(id.as_bytes());
        }
    }
    write_number(out, u64::from(meta.chunk));
    write_number(out, meta.revision);
    out.extend_from_slice(&meta.fingerprint.to_le_bytes());
}

fn read_meta(rest: &mut &[u8]) -> Option<Meta> {
    let subject = match read_number(rest)? {
        1 => VectorSubject::Goal(GoalId(Uuid::from_bytes(*take(rest)?))),
        number if number & 1 == 0 => VectorSubject::Memory(Seq((number >> 1).cast_signed())),
        _ => return None,
    };
    let chunk = u16::try_from(read_number(rest)?).ok()?;
    let revision = read_number(rest)?;
    let fingerprint = u64::from_le_bytes(*take(rest)?);
    Some(Meta { subject, chunk, revision, fingerprint })
}

fn take<'a, const N: usize>(rest: &mut &'a [u8]) -> Option<&'a [u8; N]> {
    let (taken, left) = rest.split_first_chunk()?;
    *rest = left;
    Some(taken)
}

fn write_number(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    out.push(number.to_le_bytes()[0]);
}

fn read_number(rest: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let [byte] = *take(rest)?;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

fn le_u32(bytes: &[u8]) -> u32 {
    bytes.first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes))
}

#[cfg(test)]
mod tests;
