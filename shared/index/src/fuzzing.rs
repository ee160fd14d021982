//! The parsers of this crate, for `tests/fuzz`. A panic reports a broken guarantee.
#![expect(clippy::expect_used, clippy::missing_panics_doc, reason = "a panic is the finding of a fuzzer")]

use kimberly_core::embedding::ModelKey;

use crate::active::Active;
use crate::block::{Block, intact_rows};
use crate::stamp::Stamp;

/// Parses a block of vectors whose dimension is the first byte.
pub fn block(bytes: &[u8]) {
    let Some((&dimension, bytes)) = bytes.split_first() else { return };
    let _whole = intact_rows(bytes);
    let Ok(block) = Block::parse(bytes, usize::from(dimension)) else { return };
    for slot in 0..=block.rows() {
        assert_eq!(block.row(slot).is_some(), slot < block.rows(), "the number of rows is wrong");
    }
    let (components, lengths) = block.vectors();
    assert_eq!(components.len(), lengths.count() * usize::from(dimension), "rows of another dimension");
    assert_eq!(block.metas().count(), block.rows(), "every row has a meta or is refused");
}

/// Decodes a stamp, as given and with a valid checksum.
pub fn stamp(bytes: &[u8]) {
    let _refused = Stamp::decode(bytes);
    let mut summed = bytes.to_vec();
    summed.extend_from_slice(&crc32fast::hash(bytes).to_le_bytes());
    if let Ok(stamp) = Stamp::decode(&summed) {
        assert_eq!(Stamp::decode(&stamp.encode()).expect("a round trip"), stamp);
    }
}

/// A valid stamp without its checksum.
pub fn a_stamp() -> Vec<u8> {
    let model = ModelKey::new("test-model", "0123456789abcdef", 4).expect("a model");
    let mut bytes = Stamp::new(model).encode();
    bytes.truncate(bytes.len() - 4);
    bytes
}

/// Parses the file of active models.
pub fn active(bytes: &[u8]) {
    let Some(active) = std::str::from_utf8(bytes).ok().and_then(Active::parse) else { return };
    for slug in &active.gone {
        let plain = std::path::Path::new(slug).components().count() == 1 && !slug.starts_with('.');
        assert!(plain, "{slug:?} leads elsewhere");
    }
    let again = Active::parse(&active.text()).expect("a round trip");
    assert_eq!(again.text(), active.text());
}
