//! Attention of each text's tokens to each other, head by head: both products and the softmax between them.

use super::Scratch;
use crate::Cpu;
use crate::cpu::at_level;
use crate::level::portable;
#[cfg(target_arch = "x86_64")]
use crate::level::{avx2, avx512};

/// How the values of a token are divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heads {
    /// Number of heads.
    pub count: usize,
    /// Values of each.
    pub dimension: usize,
}

impl Heads {
    /// Values of a token.
    pub const fn width(self) -> usize {
        self.count * self.dimension
    }
}

/// Attention within texts that lie one after the other, `lengths` tokens each. A row of `qkv` holds a token's queries,
/// keys and values, each as wide as all heads; a row of `out` what its heads give. Queries come scaled. Tokens beyond
/// what `qkv` and `out` hold are passed over.
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

/// Needs of its level what `gemm_f32` needs, and `max_of`, `sum_of`, `exp`.
macro_rules! attention {
    ([$($outer:tt)*], [$($inner:tt)*], $token:ident) => {
        /// Lays out the keys of a head as panels: places of a panel are tokens, missing ones 0.
        $($inner)*
        fn pack_keys(keys: &[f32], stride: usize, length: usize, dimension: usize, panels: &mut [[f32; COLUMNS]]) {
            for (at, panel) in panels.chunks_exact_mut(dimension).enumerate() {
                let first = at * COLUMNS;
                for column in 0..COLUMNS {
                    if first + column < length {
                        let key = &keys[(first + column) * stride..][..dimension];
                        panel.iter_mut().zip(key).for_each(|(to, x)| to[column] = *x);
                    } else {
                        for to in panel.iter_mut() {
 to[column] = 0.0;
 }
                    }
                }
            }
        }

        /// Lays out the values of a head as panels: places of a panel are the head's values, missing ones 0.
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

        /// Makes probabilities of a row's scores and puts them into place `r` of `pack`. Places from `length` on are not
        /// scores.
        $($inner)*
        fn softmax(row: &mut [f32], length: usize, r: usize, pack: &mut [[f32; ROWS]]) {
            row[length..].fill(f32::NEG_INFINITY);
            let (lanes, _) = row.as_chunks_mut::<LANES>();
            let mut most = splat(f32::NEG_INFINITY);
            for x in lanes.iter() {
                most = max(most, load(x));
            }
            let most = splat(max_of(most));
            let mut sum = splat(0.0);
            for x in lanes.iter_mut() {
                let e = exp(sub(load(x), most));
                sum = add(sum, e);
                store(x, e);
            }
            let factor = 1.0 / sum_of(sum);
            for (to, e) in pack.iter_mut().zip(lanes.as_flattened()) {
                to[r] = *e * factor;
            }
        }

        /// Attention of `length` tokens to each other; see `attend` of the crate.
        $($outer)*
        pub(crate) fn attend_one(
            _token: $token,
            qkv: &[f32],
            length: usize,
            heads: crate::ops::Heads,
            out: &mut [f32],
            scratch: &mut crate::ops::Scratch,
        ) {
            let (dimension, width) = (heads.dimension, heads.width());
            let (stride, places) = (3 * width, length.div_ceil(COLUMNS) * COLUMNS);
            let crate::ops::Scratch { pack, keys, values, scores, .. } = scratch;
            let (pack, _) = crate::ops::grown(pack, dimension.max(length) * ROWS).as_chunks_mut::<ROWS>();
            let (keys, _) = crate::ops::grown(keys, places * dimension).as_chunks_mut::<COLUMNS>();
            let value_panels = dimension.div_ceil(COLUMNS);
            let (values, _) = crate::ops::grown(values, value_panels * length * COLUMNS).as_chunks_mut::<COLUMNS>();
            let scores = crate::ops::grown(scores, ROWS * places);
            let (nothing, store) = ([0.0; COLUMNS], crate::ops::Finish::Store);
            for head in 0..heads.count {
                let first = head * dimension;
                pack_keys(&qkv[width + first..], stride, length, dimension, keys);
                pack_values(&qkv[2 * width + first..], stride, length, dimension, values);
                for start in (0..length).step_by(ROWS) {
                    let count = (length - start).min(ROWS);
                    pack_rows(&qkv[start * stride + first..], stride, dimension, count, pack);
                    for (at, panel) in keys.chunks_exact(dimension).enumerate() {
                        let to = &mut scores[at * COLUMNS..];
                        tile_of_f32(&pack[..dimension], panel, &nothing, store, count, COLUMNS, places, to);
                    }
                    for (r, row) in scores.chunks_exact_mut(places).enumerate().take(count) {
                        softmax(row, length, r, &mut pack[..length]);
                    }
                    for (at, panel) in values.chunks_exact(length).enumerate() {
                        let columns = (dimension - at * COLUMNS).min(COLUMNS);
                        let to = &mut out[start * width + first + at * COLUMNS..];
                        tile_of_f32(&pack[..length], panel, &nothing, store, count, columns, width, to);
                    }
                }
            }
        }
    };
}
pub(crate) use attention;
