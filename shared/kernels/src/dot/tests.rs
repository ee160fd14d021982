//! All implementations give the same result as the plain one, for any length.

use super::*;

/// Pseudo-random bytes that include both extremes.
fn bytes(length: usize, seed: u32) -> Vec<i8> {
    let mut state = seed.wrapping_mul(2_654_435_761) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        match state % 16 {
            0 => i8::MIN,
            1 => i8::MAX,
            _ => state.to_le_bytes()[1].cast_signed(),
        }
    };
    (0..length).map(|_| next()).collect()
}

/// The definition, in 64-bit integers.
fn by_definition(a: &[i8], b: &[i8]) -> i64 {
    a.iter().zip(b).map(|(&x, &y)| i64::from(x) * i64::from(y)).sum()
}

#[test]
fn every_level_gives_the_exact_product_at_every_length() {
    for cpu in Cpu::levels() {
        for length in (0..140).chain([383, 384, 385, 768, 1_024, 4_096]) {
            let (a, b) = (bytes(length, 3), bytes(length, 11));
            let product = at_level!(cpu, dot(&a, &b));
            assert_eq!(i64::from(product), by_definition(&a, &b), "{cpu:?}, {length}");
        }
    }
}

#[test]
fn extremes_of_the_longest_vector_do_not_overflow() {
    let lowest = vec![i8::MIN; MAX_DOT_DIMENSION];
    for cpu in Cpu::levels() {
        let product = at_level!(cpu, dot(&lowest, &lowest));
        assert_eq!(i64::from(product), by_definition(&lowest, &lowest), "{cpu:?}");
    }
    assert_eq!(dot_i8(&vec![i8::MIN; MAX_DOT_DIMENSION + 5], &lowest), dot_i8(&lowest, &lowest));
}

#[test]
fn vectors_of_different_lengths_are_multiplied_as_far_as_both_go() {
    assert_eq!(dot_i8(&[1, 2, 3], &[4, 5]), 14);
    assert_eq!(dot_i8(&[], &[1]), 0);
}

#[test]
fn rows_are_scanned_at_their_stride_and_missing_ones_give_zero() {
    for cpu in Cpu::levels() {
        for (dimension, stride) in [(384, 384), (384, 392), (33, 40), (7, 7), (5, 0)] {
            let query = bytes(dimension, 5);
            let stored = stride.max(dimension);
            let rows = bytes(stored * 9 + dimension, 17);
            let mut out = vec![77; 12];
            rows_at(cpu, &query, &rows, stride, &mut out);
            for (at, &product) in out.iter().enumerate() {
                let expected = if at < 10 { by_definition(&query, &rows[at * stored..][..dimension]) } else { 0 };
                assert_eq!(i64::from(product), expected, "{cpu:?}, {dimension} at {stride}, row {at}");
            }
        }
        let mut out = [1; 2];
        rows_at(cpu, &[], &[], 0, &mut out);
        assert_eq!(out, [0, 0]);
    }
}
