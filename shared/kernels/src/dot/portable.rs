//! Dot products without particular instructions.

pub(super) fn dot(a: &[i8], b: &[i8]) -> i32 {
    a.iter().zip(b).map(|(&x, &y)| i32::from(x) * i32::from(y)).sum()
}

pub(super) fn dot_rows(query: &[i8], rows: &[i8], stride: usize, out: &mut [i32]) {
    for (row, out) in rows.chunks(stride).zip(out) {
        if let Some(row) = row.get(..query.len()) {
            *out = dot(query, row);
        }
    }
}
