//! Dot products of vectors of bytes, exact: what an index of quantized vectors scans with.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod portable;

#[cfg(test)]
mod tests;

use crate::Cpu;
use crate::cpu::at_level;

/// Longest vector whose dot product cannot overflow.
pub const MAX_DOT_DIMENSION: usize = 131_071;

/// The dot product of two vectors of the same length, at most [`MAX_DOT_DIMENSION`]; of what both have if one is longer.
pub fn dot_i8(a: &[i8], b: &[i8]) -> i32 {
    let length = a.len().min(b.len()).min(MAX_DOT_DIMENSION);
    let (a, b) = (&a[..length], &b[..length]);
    at_level!(Cpu::detect(), dot(a, b))
}

/// The dot products of `query` with rows that lie `stride` bytes apart, the first at the start of `rows`: one for each
/// place in `out`. Rows that are not there whole give 0. `stride` is at least the length of `query` (less is taken as
/// that), so that a row may be followed by whatever its owner keeps beside it.
pub fn dot_i8_rows(query: &[i8], rows: &[i8], stride: usize, out: &mut [i32]) {
    rows_at(Cpu::detect(), query, rows, stride, out);
}

fn rows_at(cpu: Cpu, query: &[i8], rows: &[i8], stride: usize, out: &mut [i32]) {
    let query = &query[..query.len().min(MAX_DOT_DIMENSION)];
    let stride = stride.max(query.len()).max(1);
    out.fill(0);
    at_level!(cpu, dot_rows(query, rows, stride, out));
}
