//! Dot products with AVX-512 VNNI: bytes are widened to 16 bits and products added in pairs, so that nothing
//! saturates.

use archmage::prelude::*;

#[arcane(import_intrinsics)]
pub(super) fn dot(token: X64V4xToken, a: &[i8], b: &[i8]) -> i32 {
    product(token, a, b)
}

#[arcane(import_intrinsics)]
pub(super) fn dot_rows(token: X64V4xToken, query: &[i8], rows: &[i8], stride: usize, out: &mut [i32]) {
    for (row, out) in rows.chunks(stride).zip(out) {
        if let Some(row) = row.get(..query.len()) {
            *out = product(token, query, row);
        }
    }
}

#[rite(import_intrinsics)]
fn product(_token: X64V4xToken, a: &[i8], b: &[i8]) -> i32 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<32>(), b.as_chunks::<32>());
    let mut sums = [_mm512_setzero_si512(); 2];
    for (at, (x, y)) in a.iter().zip(b).enumerate() {
        let x = _mm512_cvtepi8_epi16(_mm256_loadu_si256(x));
        let y = _mm512_cvtepi8_epi16(_mm256_loadu_si256(y));
        sums[at % 2] = _mm512_dpwssd_epi32(sums[at % 2], x, y);
    }
    _mm512_reduce_add_epi32(_mm512_add_epi32(sums[0], sums[1])) + super::portable::product(a_rest, b_rest)
}
