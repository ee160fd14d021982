//! Vectors as int8: only their direction is kept, which is all that a cosine needs.
//!
//! A vector is scaled so that its largest component is ±127 and rounded; beside it stands one over the length of what
//! came out. The cosine of two such is their dot product times both numbers: exact for what is stored, in [-1, 1], and
//! 1 for a vector with itself.

use kimberly_kernels::{dot_i8, dot_i8_rows};

/// Largest magnitude of a component.
const LARGEST: f32 = 127.0;

/// A quantized vector.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Quantized {
    /// The components.
    pub(crate) components: Vec<i8>,
    /// One over their length.
    pub(crate) inverse_length: f32,
}

impl Quantized {
    /// Quantizes; `None` if a component is not finite or all are zero.
    #[expect(clippy::cast_possible_truncation, reason = "rounded and within ±127")]
    pub(crate) fn of(vector: &[f32]) -> Option<Self> {
        let largest = vector.iter().fold(0.0_f32, |largest, x| largest.max(x.abs()));
        if !vector.iter().all(|x| x.is_finite()) || largest <= f32::MIN_POSITIVE {
            return None;
        }
        let scale = LARGEST / largest;
        let components: Vec<i8> = vector.iter().map(|x| (x * scale).round().clamp(-LARGEST, LARGEST) as i8).collect();
        let inverse_length = inverse_length(&components);
        Some(Self { components, inverse_length })
    }

    /// The direction as floating-point numbers, for the trees.
    pub(crate) fn to_floats(components: &[i8]) -> Vec<f32> {
        components.iter().map(|&x| f32::from(x)).collect()
    }
}

/// One over the length of stored components.
#[expect(clippy::cast_possible_truncation, reason = "rounded to an f32 once")]
pub(crate) fn inverse_length(components: &[i8]) -> f32 {
    let squared = dot(components, components).max(1);
    (1.0 / f64::from(squared).sqrt()) as f32
}

/// The cosine of a stored vector and a query.
pub(crate) fn cosine(query: &Quantized, components: &[i8], inverse_length: f32) -> f32 {
    cosine_of(dot(&query.components, components), query.inverse_length, inverse_length)
}

/// The cosine that a dot product makes.
#[expect(clippy::cast_precision_loss, reason = "within the f32's 24 bits to 1e-7, far below the quantization")]
pub(crate) fn cosine_of(dot: i32, query_inverse_length: f32, inverse_length: f32) -> f32 {
    let cosine = dot as f32 * query_inverse_length * inverse_length;
    // A damaged length may be anything.
    if cosine.is_nan() { -1.0 } else { cosine.clamp(-1.0, 1.0) }
}

/// The dot product; at most 4,096 dimensions, so that it fits.
pub(crate) fn dot(a: &[i8], b: &[i8]) -> i32 {
    dot_i8(a, b)
}

/// The dot products of a query with rows of its length that lie one behind the other, a place of `out` for each.
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
    fn what_has_no_direction_is_refused() {
        for vector in
            [vec![], vec![0.0; 4], vec![1.0, f32::NAN], vec![1.0, f32::INFINITY], vec![f32::MIN_POSITIVE / 2.0]]
        {
            assert_eq!(Quantized::of(&vector), None, "{vector:?}");
        }
        assert!(Quantized::of(&[f32::MAX, -f32::MAX]).is_some());
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
