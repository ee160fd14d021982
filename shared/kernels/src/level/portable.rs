//! The baseline. The compiler vectorizes these loops if the architecture allows (NEON, SSE2).

use super::{EXP_HIGHEST, EXP_LOWEST, EXP2};
use crate::ops::{attention, elementwise, gemm_f32, gemm_i8};

/// Floats in a vector.
pub(crate) const LANES: usize = 8;
/// Rows per tile: with two column vectors each, 24 of the 32 NEON registers.
pub(crate) const ROWS: usize = 6;
/// Quantized values per word.
pub(crate) const GROUP: usize = 1;
/// Added to quantized values.
pub(crate) const OFFSET: i32 = 0;
/// Adding and subtracting this rounds a float below 2^22 to the nearest integer.
const ROUNDER: f32 = 12_582_912.0;

type F = [f32; LANES];
type I = [i32; LANES];

/// Placeholder for the token by which other levels prove the processor's support.
#[derive(Clone, Copy)]
pub(crate) struct Anywhere;

#[inline]
fn each(a: F, b: F, f: impl Fn(f32, f32) -> f32) -> F {
    std::array::from_fn(|lane| f(a[lane], b[lane]))
}

#[inline]
fn splat(x: f32) -> F {
    [x; LANES]
}

#[inline]
fn load(x: &[f32; LANES]) -> F {
    *x
}

#[inline]
fn store(to: &mut [f32; LANES], x: F) {
    *to = x;
}

#[inline]
fn add(a: F, b: F) -> F {
    each(a, b, |a, b| a + b)
}

#[inline]
fn sub(a: F, b: F) -> F {
    each(a, b, |a, b| a - b)
}

#[inline]
fn mul(a: F, b: F) -> F {
    each(a, b, |a, b| a * b)
}

#[inline]
fn div(a: F, b: F) -> F {
    each(a, b, |a, b| a / b)
}

#[inline]
fn max(a: F, b: F) -> F {
    each(a, b, |a, b| if a > b { a } else { b })
}

#[inline]
fn min(a: F, b: F) -> F {
    each(a, b, |a, b| if a < b { a } else { b })
}

/// `a * b + c`, rounded twice unless the architecture always has a fused instruction.
#[inline]
fn fma(a: F, b: F, c: F) -> F {
    std::array::from_fn(|lane| {
        if cfg!(target_arch = "aarch64") { a[lane].mul_add(b[lane], c[lane]) } else { a[lane] * b[lane] + c[lane] }
    })
}

#[inline]
fn sum_of(x: F) -> f32 {
    x.iter().sum()
}

#[inline]
fn max_of(x: F) -> f32 {
    x.iter().copied().fold(f32::NEG_INFINITY, f32::max)
}

#[inline]
fn exp(x: F) -> F {
    let x = min(max(x, splat(EXP_LOWEST)), splat(EXP_HIGHEST));
    let power = mul(x, splat(std::f32::consts::LOG2_E));
    let rounded = add(power, splat(ROUNDER));
    let part = sub(power, sub(rounded, splat(ROUNDER)));
    let mut sum = splat(EXP2[0]);
    for coefficient in &EXP2[1..] {
        sum = fma(sum, part, splat(*coefficient));
    }
    // The integer is in the lowest bits of `rounded`; shifted to the exponent, it makes 2^whole.
    let scale = rounded.map(|x| f32::from_bits((x.to_bits() << 23).wrapping_add(127 << 23)));
    mul(sum, scale)
}

/// Transposes.
#[inline]
fn transpose(x: [F; LANES]) -> [F; LANES] {
    std::array::from_fn(|row| std::array::from_fn(|column| x[column][row]))
}

#[inline]
fn zero_i() -> I {
    [0; LANES]
}

/// Adds to each column the product of its weight with the quantized value `word`.
#[inline]
#[expect(clippy::trivially_copy_pass_by_ref, reason = "the kernels hand over references into panels")]
fn dot_groups(sum: I, word: i32, weights: &[i8; LANES * GROUP]) -> I {
    std::array::from_fn(|lane| sum[lane] + word * i32::from(weights[lane]))
}

#[inline]
#[expect(clippy::cast_precision_loss, reason = "sums of products of bytes; the error is far below that of the bytes")]
fn to_float(sum: I, minus: &[i32; LANES]) -> F {
    std::array::from_fn(|lane| (sum[lane] - minus[lane]) as f32)
}

/// Quantizes 16 values, one per word.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the scale leaves -127 to 127")]
fn words(x: &[f32; 16], inverse_scale: f32) -> [i32; 16] {
    x.map(|x| ((x * inverse_scale + ROUNDER) - ROUNDER) as i32)
}

gemm_f32!([], [#[inline]], Anywhere);
gemm_i8!([], [#[inline]], Anywhere);
elementwise!([], [#[inline]], Anywhere);
attention!([], [#[inline]], Anywhere);
