//! AVX-512 with dot products of bytes.

use archmage::prelude::*;

use super::{EXP_HIGHEST, EXP_LOWEST, EXP2};
use crate::ops::{attention, elementwise, gemm_f32, gemm_i8};

/// Floats in a vector.
pub(crate) const LANES: usize = 16;
/// Rows per tile: with two column vectors each, 24 of the 32 registers.
pub(crate) const ROWS: usize = 12;
/// Bytes per column that one instruction multiplies.
pub(crate) const GROUP: usize = 4;
/// Added to quantized values, because the instruction multiplies unsigned by signed bytes.
pub(crate) const OFFSET: i32 = 128;

type F = __m512;
type I = __m512i;

#[rite(v4x, import_intrinsics)]
fn splat(x: f32) -> F {
    _mm512_set1_ps(x)
}

#[rite(v4x, import_intrinsics)]
fn load(x: &[f32; LANES]) -> F {
    _mm512_loadu_ps(x)
}

#[rite(v4x, import_intrinsics)]
fn store(to: &mut [f32; LANES], x: F) {
    _mm512_storeu_ps(to, x);
}

#[rite(v4x, import_intrinsics)]
fn add(a: F, b: F) -> F {
    _mm512_add_ps(a, b)
}

#[rite(v4x, import_intrinsics)]
fn sub(a: F, b: F) -> F {
    _mm512_sub_ps(a, b)
}

#[rite(v4x, import_intrinsics)]
fn mul(a: F, b: F) -> F {
    _mm512_mul_ps(a, b)
}

#[rite(v4x, import_intrinsics)]
fn div(a: F, b: F) -> F {
    _mm512_div_ps(a, b)
}

#[rite(v4x, import_intrinsics)]
fn max(a: F, b: F) -> F {
    _mm512_max_ps(a, b)
}

#[rite(v4x, import_intrinsics)]
fn min(a: F, b: F) -> F {
    _mm512_min_ps(a, b)
}

/// `a * b + c`.
#[rite(v4x, import_intrinsics)]
fn fma(a: F, b: F, c: F) -> F {
    _mm512_fmadd_ps(a, b, c)
}

#[rite(v4x, import_intrinsics)]
fn sum_of(x: F) -> f32 {
    _mm512_reduce_add_ps(x)
}

#[rite(v4x, import_intrinsics)]
fn max_of(x: F) -> f32 {
    _mm512_reduce_max_ps(x)
}

#[rite(v4x, import_intrinsics)]
fn exp(x: F) -> F {
    let x = min(max(x, splat(EXP_LOWEST)), splat(EXP_HIGHEST));
    let power = mul(x, splat(std::f32::consts::LOG2_E));
    let whole = _mm512_roundscale_ps::<8>(power);
    let part = sub(power, whole);
    let mut sum = splat(EXP2[0]);
    for coefficient in &EXP2[1..] {
        sum = fma(sum, part, splat(*coefficient));
    }
    _mm512_scalef_ps(sum, whole)
}

/// Transposes: swaps groups of four values within quarters of vectors, then quarters between vectors.
#[rite(v4x, import_intrinsics)]
fn transpose(x: [F; LANES]) -> [F; LANES] {
    let mut fours = x;
    for (from, to) in x.as_chunks::<4>().0.iter().zip(fours.as_chunks_mut::<4>().0) {
        let low = [_mm512_unpacklo_ps(from[0], from[1]), _mm512_unpacklo_ps(from[2], from[3])];
        let high = [_mm512_unpackhi_ps(from[0], from[1]), _mm512_unpackhi_ps(from[2], from[3])];
        let ([a, b], [c, d]) = (low.map(|x| _mm512_castps_pd(x)), high.map(|x| _mm512_castps_pd(x)));
        to[0] = _mm512_castpd_ps(_mm512_unpacklo_pd(a, b));
        to[1] = _mm512_castpd_ps(_mm512_unpackhi_pd(a, b));
        to[2] = _mm512_castpd_ps(_mm512_unpacklo_pd(c, d));
        to[3] = _mm512_castpd_ps(_mm512_unpackhi_pd(c, d));
    }
    let mut turned = x;
    for i in 0..4 {
        let (a, b, c, d) = (fours[i], fours[4 + i], fours[8 + i], fours[12 + i]);
        let even = [_mm512_shuffle_f32x4::<0x88>(a, b), _mm512_shuffle_f32x4::<0x88>(c, d)];
        let odd = [_mm512_shuffle_f32x4::<0xdd>(a, b), _mm512_shuffle_f32x4::<0xdd>(c, d)];
        turned[i] = _mm512_shuffle_f32x4::<0x88>(even[0], even[1]);
        turned[4 + i] = _mm512_shuffle_f32x4::<0x88>(odd[0], odd[1]);
        turned[8 + i] = _mm512_shuffle_f32x4::<0xdd>(even[0], even[1]);
        turned[12 + i] = _mm512_shuffle_f32x4::<0xdd>(odd[0], odd[1]);
    }
    turned
}

#[rite(v4x, import_intrinsics)]
fn zero_i() -> I {
    _mm512_setzero_si512()
}

/// Adds to each column the product of its group of weights with the group of quantized values in `word`.
#[rite(v4x, import_intrinsics)]
fn dot_groups(sum: I, word: i32, weights: &[i8; LANES * GROUP]) -> I {
    _mm512_dpbusd_epi32(sum, _mm512_set1_epi32(word), _mm512_loadu_si512::<[i8; 64]>(weights))
}

#[rite(v4x, import_intrinsics)]
fn to_float(sum: I, minus: &[i32; LANES]) -> F {
    _mm512_cvtepi32_ps(_mm512_sub_epi32(sum, _mm512_loadu_si512::<[i32; 16]>(minus)))
}

/// Quantizes 16 values; each group becomes a word.
#[rite(v4x, import_intrinsics)]
fn words(x: &[f32; 16], inverse_scale: f32) -> [i32; 16 / GROUP] {
    let whole = _mm512_cvtps_epi32(mul(load(x), splat(inverse_scale)));
    let bytes = _mm512_cvtepi32_epi8(_mm512_add_epi32(whole, _mm512_set1_epi32(OFFSET)));
    let mut words = [0; 4];
    _mm_storeu_si128(&mut words, bytes);
    words
}

gemm_f32!([#[arcane(import_intrinsics)]], [#[rite(v4x, import_intrinsics)]], X64V4xToken);
gemm_i8!([#[arcane(import_intrinsics)]], [#[rite(v4x, import_intrinsics)]], X64V4xToken);
elementwise!([#[arcane(import_intrinsics)]], [#[rite(v4x, import_intrinsics)]], X64V4xToken);
attention!([#[arcane(import_intrinsics)]], [#[rite(v4x, import_intrinsics)]], X64V4xToken);
