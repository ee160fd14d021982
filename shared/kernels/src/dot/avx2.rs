//! Dot products with AVX2: bytes are widened to 16 bits and products added in pairs, so that nothing saturates.

use archmage::prelude::*;

#[arcane(import_intrinsics)]
pub(super) fn dot(token: X64V3Token, a: &[i8], b: &[i8]) -> i32 {
    product(token, a, b)
}

#[arcane(import_intrinsics)]
pub(super) fn dot_rows(token: X64V3Token, query: &[i8], rows: &[i8], stride: usize, out: &mut [i32]) {
    for (row, out) in rows.chunks(stride).zip(out) {
        if let Some(row) = row.get(..query.len()) {
            *out = product(token, query, row);
        }
    }
}

#[rite(import_intrinsics)]
fn product(_token: X64V3Token, a: &[i8], b: &[i8]) -> i32 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<16>(), b.as_chunks::<16>());
    let mut sum = _mm256_setzero_si256();
    for (x, y) in a.iter().zip(b) {
        let x = _mm256_cvtepi8_epi16(_mm_loadu_si128(x));
        let y = _mm256_cvtepi8_epi16(_mm_loadu_si128(y));
        sum = _mm256_add_epi32(sum, _mm256_madd_epi16(x, y));
    }
    let mut lanes = [0i32; 8];
    _mm256_storeu_si256(&mut lanes, sum);
    lanes.iter().sum::<i32>() + super::portable::product(a_rest, b_rest)
}
