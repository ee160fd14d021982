//! Stored form of a row's texts: compressed if that makes them smaller, and sealed if a memory of the row is sensitive.

use std::io::Read as _;

use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_core::ids::MemoryId;

use crate::corrupt;
use crate::sealed::Seals;

/// Flags in the first byte of a stored text.
const SEALED: u8 = 1;
const PACKED: u8 = 2;
/// Minimum length in bytes for compression; shorter texts gain nothing.
const WORTH_PACKING: usize = 128;
/// zstd level.
const LEVEL: i32 = 3;
/// Bound on decompression, above the limit of any column, so that damaged data cannot cause unbounded work.
const MAX_BYTES: u64 = 16 << 20;

/// Returns the stored form of a text, sealed if `seals` is given.
pub(super) fn stored(words: &str, id: MemoryId, sealed_as: &'static str, seals: Option<&Seals>) -> Result<Vec<u8>> {
    let defect = |_| Error::storage(StorageFailure::Defect, "words of a row cannot be compressed");
    let (mut how, mut bytes) = (0, words.as_bytes().to_vec());
    if words.len() >= WORTH_PACKING {
        let packed = zstd::bulk::compress(&bytes, LEVEL).map_err(defect)?;
        if packed.len() < bytes.len() {
            (how, bytes) = (PACKED, packed);
        }
    }
    if let Some(seals) = seals {
        (how, bytes) = (how | SEALED, seals.seal_bytes(id, sealed_as, &bytes)?);
    }
    bytes.insert(0, how);
    Ok(bytes)
}

/// Reports whether a stored text is sealed.
pub(super) fn are_sealed(stored: &[u8]) -> bool {
    stored.first().is_some_and(|how| how & SEALED != 0)
}

/// Decodes a stored text.
pub(super) fn opened(stored: &[u8], id: MemoryId, sealed_as: &'static str, seals: Option<&Seals>) -> Result<String> {
    let damaged = || corrupt(format!("the words {sealed_as} of memory {id} are not readable"));
    let (how, bytes) = stored.split_first().ok_or_else(damaged)?;
    let opened;
    let bytes = if how & SEALED == 0 {
        bytes
    } else {
        let seals = seals.ok_or_else(|| corrupt("words are sealed where nothing is ever sealed"))?;
        opened = seals.open_bytes(id, sealed_as, bytes)?;
        &opened[..]
    };
    if how & PACKED == 0 {
        return std::str::from_utf8(bytes).map(str::to_owned).map_err(|_| damaged());
    }
    let mut words = String::new();
    let unpacked = zstd::Decoder::new(bytes).and_then(|packed| packed.take(MAX_BYTES).read_to_string(&mut words));
    unpacked.map(|_| words).map_err(|_| damaged())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_back_packed_or_not_and_damage_is_refused() {
        let id = MemoryId(uuid::Uuid::from_u128(1));
        let long = "the heron stands in the shallows ".repeat(40);
        for words in ["", "heron", &long] {
            let bytes = stored(words, id, "links.evidence", None).unwrap();
            assert!(bytes.len() <= words.len() + 1 && !are_sealed(&bytes));
            assert_eq!(opened(&bytes, id, "links.evidence", None).unwrap(), words);
        }
        assert!(stored(&long, id, "links.evidence", None).unwrap().len() < 200);
        for damaged in [&[][..], &[PACKED, 1, 2], &[0, 0xff], &[SEALED, 1]] {
            assert!(opened(damaged, id, "links.evidence", None).is_err());
        }
    }
}
