//! Cosines of quantized vectors, using SIMD kernels.

pub(crate) use kimberly_core::embedding::{Quantized, cosine_of};
use kimberly_kernels::{dot_i8, dot_i8_rows};

/// The components as floating-point numbers, for the trees.
pub(crate) fn to_floats(components: &[i8]) -> Vec<f32> {
    components.iter().map(|&x| f32::from(x)).collect()
}

/// The cosine of a stored vector and a query.
pub(crate) fn cosine(query: &Quantized, components: &[i8], inverse_length: f32) -> f32 {
    cosine_of(dot(&query.components, components), query.inverse_length, inverse_length)
}

/// The dot product; fits in an `i32` for at most 4,096 dimensions.
pub(crate) fn dot(a: &[i8], b: &[i8]) -> i32 {
    dot_i8(a, b)
}

/// The dot products of a query with consecutive rows of its length, one per element of `out`.
pub(crate) fn dots(query: &Quantized, rows: &[i8], out: &mut [i32]) {
    dot_i8_rows(&query.components, rows, query.components.len(), out);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn exact(a: &[f32], b: &[f32]) -> f32 {
        let sum = |x: &[f32], y: &[f32]| x.iter().zip(y).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum::<f64>();
        #[expect(clippy::cast_possible_truncation, reason = "a cosine")]
        let cosine = (sum(a, b) / (sum(a, a) * sum(b, b)).sqrt()) as f32;
        cosine
    }

    #[test]
    fn opposite_and_orthogonal_directions_are_exact() {
        let of = |v: &[f32]| Quantized::of(v).unwrap();
        let cosine = |a: &Quantized, b: &Quantized| cosine(a, &b.components, b.inverse_length);
        assert!((cosine(&of(&[0.5, -2.0]), &of(&[-1.0, 4.0])) + 1.0).abs() < 1e-6);
        assert!(cosine(&of(&[1.0, 0.0]), &of(&[0.0, -3.0])).abs() < 1e-6);
    }

    proptest! {
        #[test]
        fn cosines_are_within_a_hundredth_for_vectors_like_those_of_models(
            a in prop::collection::vec(-1.0_f32..1.0, 384),
            b in prop::collection::vec(-1.0_f32..1.0, 384),
            mix in 0.0_f32..1.0,
        ) {
            let b: Vec<f32> = a.iter().zip(&b).map(|(a, b)| a * mix + b * (1.0 - mix)).collect();
            let (qa, qb) = (Quantized::of(&a).unwrap(), Quantized::of(&b).unwrap());
            prop_assert!((cosine(&qa, &qb.components, qb.inverse_length) - exact(&a, &b)).abs() < 0.01);
            prop_assert!((cosine(&qa, &qa.components, qa.inverse_length) - 1.0).abs() < 1e-6);
        }
    }
}
