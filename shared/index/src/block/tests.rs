//! Blocks survive a round trip, fill their pages, and detect damage.

use proptest::prelude::*;

use super::*;

fn quantized(dimension: usize, seed: u32) -> Quantized {
    let components: Vec<i8> =
        (0..dimension).map(|i| (i.wrapping_mul(31).to_le_bytes()[0] ^ seed.to_le_bytes()[0]).cast_signed()).collect();
    let inverse_length = kimberly_core::embedding::inverse_length(&components);
    Quantized { components, inverse_length }
}

fn memory(seq: i64) -> Meta {
    Meta { subject: VectorSubject::Memory(Seq(seq)), chunk: 1, revision: 300, fingerprint: u64::MAX }
}

#[test]
fn ten_vectors_of_384_dimensions_fill_one_page() {
    assert_eq!(rows_per_block(384), 10);
    let rows: Vec<_> = (0..10).map(|i| (memory(1_000_000 + i), quantized(384, 7))).collect();
    let bytes = encode(rows.iter().map(|(meta, vector)| (meta, vector)));
    assert!(bytes.len() + PAGE_HEADER <= PAGE, "{}", bytes.len());
}

#[test]
fn blocks_of_any_dimension_hold_a_row_and_waste_little_where_they_can() {
    for dimension in 1..=4_096 {
        let rows = rows_per_block(dimension);
        let pages = (rows * (dimension + USUAL_EXTRA) + HEADER + PAGE_HEADER).div_ceil(PAGE);
        assert!(rows >= 1 && pages <= MAX_PAGES && u16::try_from(rows).is_ok(), "{dimension}");
        let wasted = pages * PAGE - rows * (dimension + USUAL_EXTRA);
        assert!(dimension > 1_500 || wasted * 10 <= pages * PAGE, "{dimension}: {wasted} of {pages} pages");
    }
}

fn subject() -> impl Strategy<Value = VectorSubject> {
    prop_oneof![
        (0..=i64::MAX).prop_map(|seq| VectorSubject::Memory(Seq(seq))),
        any::<[u8; 16]>().prop_map(|id| VectorSubject::Goal(GoalId(Uuid::from_bytes(id)))),
    ]
}

proptest! {
    #[test]
    fn a_block_reads_back_as_it_was_written(
        rows in prop::collection::vec((subject(), any::<u16>(), any::<u64>(), any::<u64>(), any::<u32>()), 1..12),
        dimension in 1_usize..40,
        flipped in any::<prop::sample::Index>(),
    ) {
        let rows: Vec<_> = rows.into_iter().map(|(subject, chunk, revision, fingerprint, seed)| {
            (Meta { subject, chunk, revision, fingerprint }, quantized(dimension, seed))
        }).collect();
        let bytes = encode(rows.iter().map(|(meta, vector)| (meta, vector)));
        let block = Block::parse(&bytes, dimension).unwrap();
        let metas: Vec<Meta> = block.metas().collect::<Result<_, _>>().unwrap();
        prop_assert_eq!(metas, rows.iter().map(|(meta, _)| *meta).collect::<Vec<_>>());
        for (slot, (_, vector)) in rows.iter().enumerate() {
            let (components, length) = block.row(slot).unwrap();
            prop_assert_eq!((components, length.to_bits()), (vector.components.as_slice(), vector.inverse_length.to_bits()));
        }
        prop_assert!(block.row(rows.len()).is_none());
        prop_assert_eq!(intact_rows(&bytes), Some((rows.len(), rows.len() * dimension)));

        let mut damaged = bytes.clone();
        let bit = flipped.index(bytes.len() * 8);
        damaged[bit / 8] ^= 1 << (bit % 8);
        // Bytes 2 and 3 are always zero and checked when parsed.
        prop_assert!(intact_rows(&damaged) != intact_rows(&bytes) || Block::parse(&damaged, dimension).is_err());
        for length in 0..bytes.len() {
            prop_assert!(Block::parse(&bytes[..length], dimension).is_err());
        }
    }

    #[test]
    fn no_bytes_make_reading_panic(bytes in prop::collection::vec(any::<u8>(), 0..300), dimension in 1_usize..40) {
        if let Ok(block) = Block::parse(&bytes, dimension) {
            for _ in block.metas() {}
            prop_assert_eq!(block.vectors().1.count(), block.rows());
        }
        let _ = intact_rows(&bytes);
    }
}
