//! Makes a trained first look small: the features that matter most keep a row, and weights become signed bytes.

use std::borrow::Cow;

use kimberly_language::judge::OUTPUTS;
use kimberly_language::judge::weights::{Dense, Origin, WAYS, Weights, place_of};

use crate::train::First;

/// Rows of the table: 42,000 of 92 bytes and two of check are below 4 MB.
pub const CAPACITY: usize = 42_000;
/// One in this many weights of an output may be larger than a byte can say.
const LARGEST: usize = 4_000;

/// Packs a first look; everything but its rows, steps and biases is left empty.
pub fn pack(first: &First, hashes: &[u64]) -> Weights {
    let rows = chosen(first, hashes);
    let steps = steps(first, &rows);
    let mut checks = vec![0; CAPACITY * 2];
    let mut bytes = vec![0; CAPACITY * OUTPUTS];
    for (place, row, check) in rows {
        checks[place * 2..place * 2 + 2].copy_from_slice(&check);
        let weights = &first.rows[row * OUTPUTS..(row + 1) * OUTPUTS];
        let into = &mut bytes[place * OUTPUTS..(place + 1) * OUTPUTS];
        for ((byte, weight), step) in into.iter_mut().zip(weights).zip(&steps) {
            *byte = rounded(weight / step).cast_unsigned();
        }
    }
    let dense = Dense { steps, biases: first.biases.clone(), ..Dense::default() };
    Weights { origin: Origin::default(), dense, checks: Cow::Owned(checks), rows: Cow::Owned(bytes) }
}

#[expect(clippy::cast_possible_truncation, reason = "clamped to what a byte holds")]
fn rounded(number: f32) -> i8 {
    libm::roundf(number).clamp(-127.0, 127.0) as i8
}

/// The rows that are kept: where in the table, which row, and its check.
fn chosen(first: &First, hashes: &[u64]) -> Vec<(usize, usize, [u8; 2])> {
    let mut ranked: Vec<(f32, u64, usize)> =
        first.numbers.iter().map(|(number, row)| (importance(first, *row), hashes[*number as usize], *row)).collect();
    ranked.sort_by(|left, right| right.0.total_cmp(&left.0).then(left.1.cmp(&right.1)));
    let mut taken: Vec<Option<[u8; 2]>> = vec![None; CAPACITY];
    let mut rows = Vec::with_capacity(CAPACITY);
    for (_, hash, row) in ranked {
        let (start, check) = place_of(hash, CAPACITY);
        let ways = &mut taken[start..start + WAYS];
        // Two features with one place and one check cannot be told apart: the more important one has it.
        if ways.contains(&Some(check)) {
            continue;
        }
        if let Some(way) = ways.iter().position(Option::is_none) {
            ways[way] = Some(check);
            rows.push((start + way, row, check));
        }
    }
    rows
}

/// How much a row matters: the size of its weights and how often it is used.
#[expect(clippy::cast_precision_loss, reason = "counts of sentences")]
fn importance(first: &First, row: usize) -> f32 {
    let squares: f32 = first.rows[row * OUTPUTS..(row + 1) * OUTPUTS].iter().map(|weight| weight * weight).sum();
    squares * first.counts[row] as f32
}

/// What one step of a byte is worth for each output.
fn steps(first: &First, rows: &[(usize, usize, [u8; 2])]) -> Vec<f32> {
    let largest = |output: usize| {
        let mut sizes: Vec<f32> = rows.iter().map(|(_, row, _)| first.rows[row * OUTPUTS + output].abs()).collect();
        sizes.sort_by(|left, right| right.total_cmp(left));
        sizes.get(sizes.len() / LARGEST).copied().unwrap_or_default().max(1e-6)
    };
    (0..OUTPUTS).map(|output| largest(output) / 127.0).collect()
}
