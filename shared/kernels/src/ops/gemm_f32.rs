//! Matrix products in f32: rows times weights packed in panels as wide as a tile.

/// Row tiles processed together: each panel of weights is read once for all of them, and their rows stay in the
/// cache.
pub(crate) const TILES: usize = 4;

/// Requires of a level: `F`, `LANES`, `ROWS`, `splat`, `load`, `store`, `add`, `fma`, `transpose`, and `finished` of
/// `elementwise`.
macro_rules! gemm_f32 {
    ([$($outer:tt)*], [$($inner:tt)*], $token:ident) => {
        /// Columns per tile.
        pub(crate) const COLUMNS: usize = 2 * LANES;

        /// `LANES` values from offset `at` of `count` rows, transposed: vector `i` holds value `at + i` of every row.
        $($inner)*
        fn turned(rows: &[f32], stride: usize, at: usize, count: usize) -> [F; LANES] {
            let mut lanes = [splat(0.0); LANES];
            for (r, to) in lanes.iter_mut().enumerate().take(count) {
                if let Some(x) = rows[r * stride + at..].first_chunk::<LANES>() {
                    *to = load(x);
                }
            }
            transpose(lanes)
        }

        /// Interleaves up to `LANES` rows of `k` values: `pack[i][r]` is value `i` of row `r`.
        $($inner)*
        fn pack_rows(rows: &[f32], stride: usize, k: usize, count: usize, pack: &mut [[f32; LANES]]) {
            let (whole, rest) = pack[..k].as_chunks_mut::<LANES>();
            for (block, to) in whole.iter_mut().enumerate() {
                for (to, x) in to.iter_mut().zip(turned(rows, stride, block * LANES, count)) {
                    store(to, x);
                }
            }
            let first = k - rest.len();
            for (i, to) in rest.iter_mut().enumerate() {
                for (r, to) in to.iter_mut().enumerate().take(count) {
                    *to = rows[r * stride + first + i];
                }
            }
        }

        /// One tile: `M` rows times one panel, plus the bias of the columns. Writes the first `count` rows and
        /// `width` columns to `out`, whose rows are `stride` apart.
        $($inner)*
        #[expect(clippy::too_many_arguments, reason = "a kernel's operands")]
        fn tile_f32<const M: usize>(
            pack: &[[f32; LANES]],
            panel: &[[f32; COLUMNS]],
            bias: &[f32; COLUMNS],
            finish: crate::ops::Finish,
            count: usize,
            width: usize,
            stride: usize,
            out: &mut [f32],
        ) {
            let (bias, _) = bias.as_chunks::<LANES>();
            let mut sums = [[load(&bias[0]), load(&bias[1])]; M];
            for (x, y) in pack.iter().zip(panel) {
                let (y, _) = y.as_chunks::<LANES>();
                let (y0, y1) = (load(&y[0]), load(&y[1]));
                for r in 0..M {
                    let x = splat(x[r]);
                    sums[r][0] = fma(x, y0, sums[r][0]);
                    sums[r][1] = fma(x, y1, sums[r][1]);
                }
            }
            for (r, sums) in sums.iter().enumerate().take(count) {
                write_row(sums, finish, &mut out[r * stride..][..width]);
            }
        }

        /// Writes one row of a tile, as many columns as fit.
        $($inner)*
        fn write_row(sums: &[F; 2], finish: crate::ops::Finish, out: &mut [f32]) {
            if let (&mut [ref mut low, ref mut high], []) = out.as_chunks_mut::<LANES>() {
                store(low, finished(sums[0], load(low), finish));
                store(high, finished(sums[1], load(high), finish));
                return;
            }
            let mut whole = [[0.0; LANES]; 2];
            whole.as_flattened_mut()[..out.len()].copy_from_slice(out);
            for (part, sum) in whole.iter_mut().zip(sums) {
                let before = load(part);
                store(part, finished(*sum, before, finish));
            }
            out.copy_from_slice(&whole.as_flattened()[..out.len()]);
        }

        /// Like [`tile_f32`], for only as many rows as needed.
        $($inner)*
        #[expect(clippy::too_many_arguments, reason = "a kernel's operands")]
        fn tile_of_f32(
            pack: &[[f32; LANES]],
            panel: &[[f32; COLUMNS]],
            bias: &[f32; COLUMNS],
            finish: crate::ops::Finish,
            count: usize,
            width: usize,
            stride: usize,
            out: &mut [f32],
        ) {
            if count <= ROWS / 3 {
                tile_f32::<{ ROWS / 3 }>(pack, panel, bias, finish, count, width, stride, out);
            } else if count <= 2 * ROWS / 3 {
                tile_f32::<{ 2 * ROWS / 3 }>(pack, panel, bias, finish, count, width, stride, out);
            } else {
                tile_f32::<ROWS>(pack, panel, bias, finish, count, width, stride, out);
            }
        }

        /// `input` (rows of `k`) times `panels` (of `n` columns) plus `bias`, finished into `out` (rows of `n`).
        $($outer)*
        #[expect(clippy::too_many_arguments, reason = "a kernel's operands")]
        pub(crate) fn gemm_f32(
            _token: $token,
            input: &[f32],
            k: usize,
            n: usize,
            panels: &[f32],
            bias: &[f32],
            finish: crate::ops::Finish,
            out: &mut [f32],
            scratch: &mut crate::ops::Scratch,
        ) {
            let tiles = crate::ops::TILES;
            let (pack, _) = crate::ops::grown(&mut scratch.pack, tiles * k * LANES).as_chunks_mut::<LANES>();
            let (panels, _) = panels.as_chunks::<COLUMNS>();
            let (bias, _) = bias.as_chunks::<COLUMNS>();
            for (input, out) in input.chunks(tiles * ROWS * k).zip(out.chunks_mut(tiles * ROWS * n)) {
                for (rows, pack) in input.chunks(ROWS * k).zip(pack.chunks_exact_mut(k)) {
                    pack_rows(rows, k, k, rows.len() / k, pack);
                }
                for (at, (panel, bias)) in panels.chunks_exact(k).zip(bias).enumerate() {
                    let width = (n - at * COLUMNS).min(COLUMNS);
                    for (out, pack) in out.chunks_mut(ROWS * n).zip(pack.chunks_exact(k)) {
                        let count = out.len() / n;
                        tile_of_f32(pack, panel, bias, finish, count, width, n, &mut out[at * COLUMNS..]);
                    }
                }
            }
        }
    };
}
pub(crate) use gemm_f32;
