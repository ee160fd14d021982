//! Exact dot products of byte vectors, used to scan an index of quantized vectors.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod portable;

#[cfg(test)]
mod tests;

use crate::Cpu;
use crate::cpu::at_level;

/// Maximum dimension whose dot product cannot overflow.
pub const MAX_DOT_DIMENSION: usize = 131_071;

/// The dot product of two vectors of at most [`MAX_DOT_DIMENSION`]; a longer vector is cut to the length of the
/// other.
pub fn dot_i8(a: &[i8], b: &[i8]) -> i32 {
    let length = a.len().min(b.len()).min(MAX_DOT_DIMENSION);
    let (a, b) = (&a[..length], &b[..length]);
    at_level!(Cpu::detect(), dot(a, b))
}

/// The dot products of `query` with rows that start `stride` bytes apart, the first at the start of `rows`; one per
/// element of `out`. Incomplete rows give 0. `stride` is at least the length of `query` (a smaller value is raised to
/// it), so that a row may be followed by other data of its owner.
pub fn dot_i8_rows(query: &[i8], rows: &[i8], stride: usize, out: &mut [i32]) {
    rows_at(Cpu::detect(), query, rows, stride, out);
}

fn rows_at(cpu: Cpu, query: &[i8], rows: &[i8], stride: usize, out: &mut [i32]) {
    let query = &query[..query.len().min(MAX_DOT_DIMENSION)];
    let stride = stride.max(query.len()).max(1);
    out.fill(0);
    at_level!(cpu, dot_rows(query, rows, stride, out));
}
