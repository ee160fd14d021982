//! Dot products without special instructions.

use crate::level::portable::Anywhere;

pub(super) fn dot(_: Anywhere, a: &[i8], b: &[i8]) -> i32 {
    product(a, b)
}

pub(super) fn product(a: &[i8], b: &[i8]) -> i32 {
    a.iter().zip(b).map(|(&x, &y)| i32::from(x) * i32::from(y)).sum()
}

pub(super) fn dot_rows(_: Anywhere, query: &[i8], rows: &[i8], stride: usize, out: &mut [i32]) {
    for (row, out) in rows.chunks(stride).zip(out) {
        if let Some(row) = row.get(..query.len()) {
            *out = product(query, row);
        }
    }
}
