//! Self-attention within each text, per head: both products and the softmax between them.

use super::Scratch;
use crate::Cpu;
use crate::cpu::at_level;
use crate::level::portable;
#[cfg(target_arch = "x86_64")]
use crate::level::{avx2, avx512};

/// How a token's values are split into heads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heads {
    /// Number of heads.
    pub count: usize,
    /// Values per head.
    pub dimension: usize,
}

impl Heads {
    /// Values per token.
    pub const fn width(self) -> usize {
        self.count * self.dimension
    }
}

/// Attention within consecutive texts of `lengths` tokens each. A row of `qkv` holds a token's queries, keys and
/// values, each as wide as all heads; a row of `out` their results. Queries must be scaled already. Tokens beyond
/// `qkv` or `out` are ignored.
pub fn attend(cpu: Cpu, qkv: &[f32], lengths: &[usize], heads: Heads, out: &mut [f32], scratch: &mut Scratch) {
    let width = heads.width();
    let mut start = 0;
    for &length in lengths {
        let end = start + length;
        if let (Some(qkv), Some(out)) =
            (qkv.get(3 * start * width..3 * end * width), out.get_mut(start * width..end * width))
            && length * width > 0
        {
            at_level!(cpu, attend_one(qkv, length, heads, out, scratch));
        }
        start = end;
    }
}

/// Requires of a level what `gemm_f32` requires, and `exp`.
///
/// Scores have a row per key and a column per query, so that the softmax runs down the columns of a tile, without
/// horizontal sums, and leaves probabilities in the layout of the second product.
macro_rules! attention {
    ([$($outer:tt)*], [$($inner:tt)*], $token:ident) => {
        /// Queries per tile of the second product.
        const QUERIES: usize = COLUMNS / 4;

        /// Packs up to `COLUMNS` queries of a head into a panel, zero-padded.
        $($inner)*
        fn pack_queries(rows: &[f32], stride: usize, dimension: usize, count: usize, panel: &mut [[f32; COLUMNS]]) {
            let first = count.min(LANES);
            for (half, count) in [first, count - first].into_iter().enumerate() {
                let rows = if count > 0 { &rows[half * LANES * stride..] } else { &[][..] };
                let (whole, rest) = panel[..dimension].as_chunks_mut::<LANES>();
                for (block, to) in whole.iter_mut().enumerate() {
                    for (to, x) in to.iter_mut().zip(turned(rows, stride, block * LANES, count)) {
                        store(&mut to.as_chunks_mut::<LANES>().0[half], x);
                    }
                }
                let done = dimension - rest.len();
                for (i, to) in rest.iter_mut().enumerate() {
                    for (r, to) in to[half * LANES..][..LANES].iter_mut().enumerate() {
                        *to = if r < count { rows[r * stride + done + i] } else { 0.0 };
                    }
                }
            }
        }

        /// Packs the values of a head into panels, zero-padded.
        $($inner)*
        fn pack_values(values: &[f32], stride: usize, length: usize, dimension: usize, panels: &mut [[f32; COLUMNS]]) {
            for (at, panel) in panels.chunks_exact_mut(length).enumerate() {
                let width = (dimension - at * COLUMNS).min(COLUMNS);
                for (token, to) in panel.iter_mut().enumerate() {
                    to[..width].copy_from_slice(&values[token * stride + at * COLUMNS..][..width]);
                    to[width..].fill(0.0);
                }
            }
        }

        /// Replaces scores with exponentials, shifted by each column's maximum; returns the factors that normalize
        /// them.
        $($inner)*
        fn softmax(scores: &mut [[f32; COLUMNS]]) -> [f32; COLUMNS] {
            let mut factors = [0.0; COLUMNS];
            for (half, factor) in factors.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
                let mut most = splat(f32::NEG_INFINITY);
                for row in scores.iter() {
                    most = max(most, load(&row.as_chunks::<LANES>().0[half]));
                }
                let mut sum = splat(0.0);
                for row in scores.iter_mut() {
                    let x = &mut row.as_chunks_mut::<LANES>().0[half];
                    let e = exp(sub(load(x), most));
                    sum = add(sum, e);
                    store(x, e);
                }
                store(factor, div(splat(1.0), sum));
            }
            factors
        }

        /// The sums of a panel of values, weighted by tile `tile` of each row of `weights`, which has four tiles.
        $($inner)*
        fn weighted(weights: &[[f32; QUERIES]], tile: usize, panel: &[[f32; COLUMNS]]) -> [[F; 2]; QUERIES] {
            let mut sums = [[splat(0.0); 2]; QUERIES];
            for (x, y) in weights.as_chunks::<4>().0.iter().zip(panel) {
                let (x, (y, _)) = (&x[tile], y.as_chunks::<LANES>());
                let (y0, y1) = (load(&y[0]), load(&y[1]));
                for (sums, x) in sums.iter_mut().zip(x) {
                    let x = splat(*x);
                    sums[0] = fma(x, y0, sums[0]);
                    sums[1] = fma(x, y1, sums[1]);
                }
            }
            sums
        }

        /// Self-attention of `length` tokens; see the public `attend`.
        $($outer)*
        pub(crate) fn attend_one(
            _token: $token,
            qkv: &[f32],
            length: usize,
            heads: crate::ops::Heads,
            out: &mut [f32],
            scratch: &mut crate::ops::Scratch,
        ) {
            let (dimension, width, stride) = (heads.dimension, heads.width(), 3 * heads.width());
            let crate::ops::Scratch { pack, keys, values, scores, .. } = scratch;
            let key_tiles = length.div_ceil(ROWS);
            let (keys, _) = crate::ops::grown(keys, key_tiles * dimension * LANES).as_chunks_mut::<LANES>();
            let (queries, _) = crate::ops::grown(pack, dimension * COLUMNS).as_chunks_mut::<COLUMNS>();
            let value_panels = dimension.div_ceil(COLUMNS);
            let (values, _) = crate::ops::grown(values, value_panels * length * COLUMNS).as_chunks_mut::<COLUMNS>();
            let (scores, _) = crate::ops::grown(scores, length * COLUMNS).as_chunks_mut::<COLUMNS>();
            let (nothing, finish) = ([0.0; COLUMNS], crate::ops::Finish::Store);
            for head in 0..heads.count {
                let first = head * dimension;
                for (tile, keys) in keys.chunks_exact_mut(dimension).enumerate() {
                    let count = (length - tile * ROWS).min(ROWS);
                    pack_rows(&qkv[width + first + tile * ROWS * stride..], stride, dimension, count, keys);
                }
                pack_values(&qkv[2 * width + first..], stride, length, dimension, values);
                for start in (0..length).step_by(COLUMNS) {
                    let count = (length - start).min(COLUMNS);
                    pack_queries(&qkv[start * stride + first..], stride, dimension, count, queries);
                    for (keys, scores) in keys.chunks_exact(dimension).zip(scores.chunks_mut(ROWS)) {
                        let (rows, to) = (scores.len(), scores.as_flattened_mut());
                        tile_of_f32(keys, queries, &nothing, finish, rows, COLUMNS, COLUMNS, to);
                    }
                    let factors = softmax(scores);
                    let (weights, _) = scores.as_flattened().as_chunks::<QUERIES>();
                    for tile in 0..count.div_ceil(QUERIES) {
                        let from = start + tile * QUERIES;
                        for (at, panel) in values.chunks_exact(length).enumerate() {
                            let columns = (dimension - at * COLUMNS).min(COLUMNS);
                            let sums = weighted(weights, tile, panel);
                            for (r, sums) in sums.iter().enumerate().take(length - from) {
                                let factor = splat(factors[tile * QUERIES + r]);
                                let of_row = [mul(sums[0], factor), mul(sums[1], factor)];
                                let to = &mut out[(from + r) * width + first + at * COLUMNS..][..columns];
                                write_row(&of_row, finish, to);
                            }
                        }
                    }
                }
            }
        }
    };
}
pub(crate) use attention;
