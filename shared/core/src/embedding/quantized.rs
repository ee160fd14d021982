//! Vectors as int8, as every index stores them: only the direction is kept, which is all that a cosine needs.
//!
//! A vector is scaled so that its largest component is ±127, and rounded; the inverse of the resulting length is
//! stored with it. The cosine of two such vectors is their dot product times both inverse lengths: exact for the
//! stored values, in [-1, 1], and 1 for a vector with itself.

use super::model_key::ModelKey;
use super::vector::{EmbeddedItem, VectorSubject};
use crate::error::{Error, Result};

/// Largest magnitude of a component.
const LARGEST: f32 = 127.0;

/// A quantized vector.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantized {
    /// The components, within ±127.
    pub components: Vec<i8>,
    /// The inverse of their length.
    pub inverse_length: f32,
}

impl Quantized {
    /// Quantizes a vector; `None` if a component is not finite or all are zero.
    #[expect(clippy::cast_possible_truncation, reason = "rounded and within ±127")]
    pub fn of(vector: &[f32]) -> Option<Self> {
        let largest = vector.iter().fold(0.0_f32, |largest, x| largest.max(x.abs()));
        if !vector.iter().all(|x| x.is_finite()) || largest <= f32::MIN_POSITIVE {
            return None;
        }
        let scale = LARGEST / largest;
        let components: Vec<i8> = vector.iter().map(|x| (x * scale).round().clamp(-LARGEST, LARGEST) as i8).collect();
        let inverse_length = inverse_length(&components);
        Some(Self { components, inverse_length })
    }

    /// Quantizes the vector of a query by `model`. The error names the field `query`.
    pub fn of_query(model: &ModelKey, query: &[f32]) -> Result<Self> {
        if query.len() != model.dimension() as usize {
            let problem = format!("has {} numbers; {model} has {}", query.len(), model.dimension());
            return Err(Error::invalid("query", problem));
        }
        Self::of(query).ok_or_else(|| Error::invalid("query", "must be finite and not all zeros"))
    }

    /// Quantizes the vectors of the item at `index` of a change, for `model`. The error names the item and what is allowed.
    pub fn of_item(model: &ModelKey, index: usize, item: &EmbeddedItem) -> Result<Vec<Self>> {
        let field = |problem: String| Error::invalid(format!("items[{index}].vectors"), problem);
        if let VectorSubject::Memory(seq) = item.subject
            && seq.0 < 0
        {
            return Err(Error::invalid(
                format!("items[{index}].subject"),
                "is a negative number; 0 or more is allowed",
            ));
        }
        if item.vectors.is_empty() || item.vectors.len() > usize::from(u16::MAX) {
            return Err(field(format!("are {}; 1 to {} are allowed", item.vectors.len(), u16::MAX)));
        }
        let dimension = model.dimension() as usize;
        let one = |(chunk, vector): (usize, &Vec<f32>)| {
            if vector.len() != dimension {
                return Err(field(format!("have {} numbers in chunk {chunk}; {model} has {dimension}", vector.len())));
            }
            Self::of(vector).ok_or_else(|| field(format!("must be finite and not all zeros in chunk {chunk}")))
        };
        item.vectors.iter().enumerate().map(one).collect()
    }
}

/// The inverse length of quantized components; at most 4,096 of them, so that the sum does not overflow.
#[expect(clippy::cast_possible_truncation, reason = "rounded to an f32 once")]
pub fn inverse_length(components: &[i8]) -> f32 {
    let squared: i32 = components.iter().map(|&x| i32::from(x) * i32::from(x)).sum();
    (1.0 / f64::from(squared.max(1)).sqrt()) as f32
}

/// Computes the cosine from the dot product of quantized components and the inverse length of each.
#[expect(clippy::cast_precision_loss, reason = "within the f32's 24 bits to 1e-7, far below the quantization")]
pub fn cosine_of(dot: i32, query_inverse_length: f32, inverse_length: f32) -> f32 {
    let cosine = dot as f32 * query_inverse_length * inverse_length;
    // A damaged length may have any value.
    if cosine.is_nan() { -1.0 } else { cosine.clamp(-1.0, 1.0) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_has_no_direction_is_refused() {
        for vector in
            [vec![], vec![0.0; 4], vec![1.0, f32::NAN], vec![1.0, f32::INFINITY], vec![f32::MIN_POSITIVE / 2.0]]
        {
            assert_eq!(Quantized::of(&vector), None, "{vector:?}");
        }
        assert!(Quantized::of(&[f32::MAX, -f32::MAX]).is_some());
    }

    proptest! {
        #[test]
        fn components_are_whole_and_the_largest_is_127(vector in prop::collection::vec(-1.0_f32..1.0, 1..64)) {
            let Some(quantized) = Quantized::of(&vector) else { return Ok(()) };
            prop_assert_eq!(quantized.components.iter().map(|x| x.unsigned_abs()).max(), Some(127));
            let own: i32 = quantized.components.iter().map(|&x| i32::from(x) * i32::from(x)).sum();
            prop_assert!((cosine_of(own, quantized.inverse_length, quantized.inverse_length) - 1.0).abs() < 1e-6);
        }
    }
}
