//! The stamp of an index: its model and its counts.

use kimberly_core::embedding::ModelKey;

/// The format that this build writes, and the newest that it reads.
pub(crate) const FORMAT: u16 = 1;
const MAGIC: [u8; 4] = *b"KMBV";

/// The stamp, stored in every index under its own key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub(crate) model: ModelKey,
    /// Number of memories and goals.
    pub(crate) items: u64,
    /// Number of rows.
    pub(crate) vectors: u32,
    /// Number of rows of goals, which are excluded from the memories nearest to a query.
    pub(crate) goal_vectors: u32,
    /// The vault's commit count when the index was last complete.
    pub(crate) in_sync_at: Option<u64>,
    /// Number of removed or replaced vectors whose bytes may remain in free pages.
    pub(crate) erased: u64,
    /// The checksum of trees and directory, if the index is large enough to have them.
    pub(crate) large: Option<u32>,
}

impl Stamp {
    /// The stamp of an empty index.
    pub(crate) fn new(model: ModelKey) -> Self {
        Self { model, items: 0, vectors: 0, goal_vectors: 0, in_sync_at: None, erased: 0, large: None }
    }

    /// Components of each vector.
    pub(crate) fn dimension(&self) -> usize {
        self.model.dimension() as usize
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let slug = self.model.slug();
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(&FORMAT.to_le_bytes());
        bytes.extend_from_slice(&self.model.dimension().to_le_bytes());
        bytes.extend_from_slice(&self.items.to_le_bytes());
        bytes.extend_from_slice(&self.vectors.to_le_bytes());
        bytes.extend_from_slice(&self.goal_vectors.to_le_bytes());
        bytes.push(u8::from(self.in_sync_at.is_some()));
        bytes.extend_from_slice(&self.in_sync_at.unwrap_or(0).to_le_bytes());
        bytes.extend_from_slice(&self.erased.to_le_bytes());
        bytes.push(u8::from(self.large.is_some()));
        bytes.extend_from_slice(&self.large.unwrap_or(0).to_le_bytes());
        bytes.extend_from_slice(slug.as_bytes());
        bytes.extend_from_slice(&crc32fast::hash(&bytes).to_le_bytes());
        bytes
    }

    /// Decodes a stamp; the error continues a sentence about the file.
    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, String> {
        let mut rest = Rest(bytes);
        if rest.take() != Some(MAGIC) {
            return Err("is not a vector index".to_owned());
        }
        let format = u16::from_le_bytes(rest.take().unwrap_or([0; 2]));
        if format > FORMAT {
            return Err(format!("has format {format}, of a newer version; this one reads up to {FORMAT}: upgrade"));
        }
        Self::decode_body(&mut rest, bytes).ok_or_else(|| "has a damaged stamp".to_owned())
    }

    fn decode_body(rest: &mut Rest<'_>, all: &[u8]) -> Option<Self> {
        let (summed, sum) = all.split_last_chunk()?;
        if crc32fast::hash(summed) != u32::from_le_bytes(*sum) {
            return None;
        }
        let dimension = u32::from_le_bytes(rest.take()?);
        let items = u64::from_le_bytes(rest.take()?);
        let vectors = u32::from_le_bytes(rest.take()?);
        let goal_vectors = u32::from_le_bytes(rest.take()?);
        let ever_in_sync = rest.take()? == [1];
        let in_sync_at = Some(u64::from_le_bytes(rest.take()?)).filter(|_| ever_in_sync);
        let erased = u64::from_le_bytes(rest.take()?);
        let is_large = rest.take()? == [1];
        let large = Some(u32::from_le_bytes(rest.take()?)).filter(|_| is_large);
        let slug = str::from_utf8(rest.0.get(..rest.0.len().checked_sub(4)?)?).ok()?;
        let model = ModelKey::parse(slug, dimension).ok()?;
        Some(Self { model, items, vectors, goal_vectors, in_sync_at, erased, large })
    }
}

struct Rest<'a>(&'a [u8]);

impl Rest<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, left) = self.0.split_first_chunk()?;
        self.0 = left;
        Some(*taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_reads_back_and_no_flipped_bit_goes_unseen() {
        let mut stamp = Stamp::new(ModelKey::new("a-b", "0123456789abcdef", 384).unwrap());
        for large in [None, Some(7)] {
            for in_sync_at in [None, Some(0), Some(u64::MAX)] {
                stamp = Stamp { items: 3, vectors: 4, goal_vectors: 1, in_sync_at, erased: 9, large, ..stamp };
                assert_eq!(Stamp::decode(&stamp.encode()).unwrap(), stamp);
            }
        }
        let bytes = stamp.encode();
        for bit in 0..bytes.len() * 8 {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(Stamp::decode(&damaged).is_err(), "bit {bit}");
        }
        for length in 0..bytes.len() {
            assert!(Stamp::decode(&bytes[..length]).is_err(), "{length} bytes");
        }
    }

    #[test]
    fn a_newer_format_is_distinguished_from_damage() {
        let mut bytes = Stamp::new(ModelKey::new("a", "0123456789abcdef", 2).unwrap()).encode();
        bytes[4] = 2;
        let error = Stamp::decode(&bytes).unwrap_err();
        assert!(error.contains("newer version") && error.contains("upgrade"), "{error}");
    }
}
