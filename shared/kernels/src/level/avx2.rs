//! AVX2 and FMA.

use archmage::prelude::*;

use super::{EXP_HIGHEST, EXP_LOWEST, EXP2};
use crate::ops::{attention, elementwise, gemm_f32, gemm_i8};

/// Floats in a vector.
pub(crate) const LANES: usize = 8;
/// Rows per tile: with two column vectors each, 12 of the 16 registers.
pub(crate) const ROWS: usize = 6;
/// Values per column that one instruction multiplies, widened to 16 bits: byte products would saturate.
pub(crate) const GROUP: usize = 2;
/// Added to quantized values.
pub(crate) const OFFSET: i32 = 0;

type F = __m256;
type I = __m256i;

#[rite(v3, import_intrinsics)]
fn splat(x: f32) -> F {
    _mm256_set1_ps(x)
}

#[rite(v3, import_intrinsics)]
fn load(x: &[f32; LANES]) -> F {
    _mm256_loadu_ps(x)
}

#[rite(v3, import_intrinsics)]
fn store(to: &mut [f32; LANES], x: F) {
    _mm256_storeu_ps(to, x);
}

#[rite(v3, import_intrinsics)]
fn add(a: F, b: F) -> F {
    _mm256_add_ps(a, b)
}

#[rite(v3, import_intrinsics)]
fn sub(a: F, b: F) -> F {
    _mm256_sub_ps(a, b)
}

#[rite(v3, import_intrinsics)]
fn mul(a: F, b: F) -> F {
    _mm256_mul_ps(a, b)
}

#[rite(v3, import_intrinsics)]
fn div(a: F, b: F) -> F {
    _mm256_div_ps(a, b)
}

#[rite(v3, import_intrinsics)]
fn max(a: F, b: F) -> F {
    _mm256_max_ps(a, b)
}

#[rite(v3, import_intrinsics)]
fn min(a: F, b: F) -> F {
    _mm256_min_ps(a, b)
}

/// `a * b + c`.
#[rite(v3, import_intrinsics)]
fn fma(a: F, b: F, c: F) -> F {
    _mm256_fmadd_ps(a, b, c)
}

#[rite(v3, import_intrinsics)]
fn sum_of(x: F) -> f32 {
    let mut lanes = [0.0; LANES];
    store(&mut lanes, x);
    lanes.iter().sum()
}

#[rite(v3, import_intrinsics)]
fn max_of(x: F) -> f32 {
    let mut lanes = [0.0; LANES];
    store(&mut lanes, x);
    lanes.iter().copied().fold(f32::NEG_INFINITY, f32::max)
}

#[rite(v3, import_intrinsics)]
fn exp(x: F) -> F {
    let x = min(max(x, splat(EXP_LOWEST)), splat(EXP_HIGHEST));
    let power = mul(x, splat(std::f32::consts::LOG2_E));
    let whole = _mm256_cvtps_epi32(power);
    let part = sub(power, _mm256_cvtepi32_ps(whole));
    let mut sum = splat(EXP2[0]);
    for coefficient in &EXP2[1..] {
        sum = fma(sum, part, splat(*coefficient));
    }
    // 2^whole, by setting the exponent bits.
    let scale = _mm256_slli_epi32::<23>(_mm256_add_epi32(whole, _mm256_set1_epi32(127)));
    mul(sum, _mm256_castsi256_ps(scale))
}

/// Transposes: swaps groups of four values within halves of vectors, then halves between vectors.
#[rite(v3, import_intrinsics)]
fn transpose(x: [F; LANES]) -> [F; LANES] {
    let mut fours = x;
    for (from, to) in x.as_chunks::<4>().0.iter().zip(fours.as_chunks_mut::<4>().0) {
        let low = [_mm256_unpacklo_ps(from[0], from[1]), _mm256_unpacklo_ps(from[2], from[3])];
        let high = [_mm256_unpackhi_ps(from[0], from[1]), _mm256_unpackhi_ps(from[2], from[3])];
        let ([a, b], [c, d]) = (low.map(|x| _mm256_castps_pd(x)), high.map(|x| _mm256_castps_pd(x)));
        to[0] = _mm256_castpd_ps(_mm256_unpacklo_pd(a, b));
        to[1] = _mm256_castpd_ps(_mm256_unpackhi_pd(a, b));
        to[2] = _mm256_castpd_ps(_mm256_unpacklo_pd(c, d));
        to[3] = _mm256_castpd_ps(_mm256_unpackhi_pd(c, d));
    }
    let mut turned = x;
    for i in 0..4 {
        turned[i] = _mm256_permute2f128_ps::<0x20>(fours[i], fours[4 + i]);
        turned[4 + i] = _mm256_permute2f128_ps::<0x31>(fours[i], fours[4 + i]);
    }
    turned
}

#[rite(v3, import_intrinsics)]
fn zero_i() -> I {
    _mm256_setzero_si256()
}

/// Adds to each column the product of its group of weights with the group of quantized values in `word`.
#[rite(v3, import_intrinsics)]
fn dot_groups(sum: I, word: i32, weights: &[i8; LANES * GROUP]) -> I {
    let weights = _mm256_cvtepi8_epi16(_mm_loadu_si128(weights));
    _mm256_add_epi32(sum, _mm256_madd_epi16(_mm256_set1_epi32(word), weights))
}

#[rite(v3, import_intrinsics)]
fn to_float(sum: I, minus: &[i32; LANES]) -> F {
    _mm256_cvtepi32_ps(_mm256_sub_epi32(sum, _mm256_loadu_si256(minus)))
}

/// Quantizes 16 values; each group becomes a word.
#[rite(v3, import_intrinsics)]
fn words(x: &[f32; 16], inverse_scale: f32) -> [i32; 16 / GROUP] {
    let (low, high) = x.split_at(LANES);
    let mut words = [0; 8];
    for (half, words) in [low, high].into_iter().zip(words.as_chunks_mut::<4>().0) {
        let mut lanes = [0.0; LANES];
        lanes.copy_from_slice(half);
        let whole = _mm256_cvtps_epi32(mul(load(&lanes), splat(inverse_scale)));
        let pairs = _mm_packs_epi32(_mm256_castsi256_si128(whole), _mm256_extracti128_si256::<1>(whole));
        _mm_storeu_si128(words, pairs);
    }
    words
}

gemm_f32!([#[arcane(import_intrinsics)]], [#[rite(v3, import_intrinsics)]], X64V3Token);
gemm_i8!([#[arcane(import_intrinsics)]], [#[rite(v3, import_intrinsics)]], X64V3Token);
elementwise!([#[arcane(import_intrinsics)]], [#[rite(v3, import_intrinsics)]], X64V3Token);
attention!([#[arcane(import_intrinsics)]], [#[rite(v3, import_intrinsics)]], X64V3Token);
