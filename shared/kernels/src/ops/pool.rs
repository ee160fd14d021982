//! Pools the vectors of a text's tokens into one vector of the text.

/// The mean of rows as long as `out`; zeros without rows.
#[expect(clippy::cast_precision_loss, reason = "fewer tokens than 2^24")]
pub fn mean(rows: &[f32], out: &mut [f32]) {
    out.fill(0.0);
    let mut count = 0usize;
    for row in rows.chunks_exact(out.len().max(1)) {
        out.iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
        count += 1;
    }
    let factor = 1.0 / count.max(1) as f32;
    for x in out {
        *x *= factor;
    }
}

/// The first row, which represents the whole text; zeros without rows.
pub fn cls(rows: &[f32], out: &mut [f32]) {
    match rows.get(..out.len()) {
        Some(first) => out.copy_from_slice(first),
        None => out.fill(0.0),
    }
}

/// The maximum per column; zeros without rows.
pub fn max(rows: &[f32], out: &mut [f32]) {
    cls(rows, out);
    for row in rows.chunks_exact(out.len().max(1)) {
        out.iter_mut().zip(row).for_each(|(most, &x)| *most = most.max(x));
    }
}

/// Scales the vector to length 1; a zero vector is left unchanged.
pub fn normalize(x: &mut [f32]) {
    let length = x.iter().map(|x| f64::from(*x) * f64::from(*x)).sum::<f64>().sqrt();
    if length > 0.0 && length.is_finite() {
        #[expect(clippy::cast_possible_truncation, reason = "rounding is wanted")]
        let factor = (1.0 / length) as f32;
        for x in x {
            *x *= factor;
        }
    }
}
