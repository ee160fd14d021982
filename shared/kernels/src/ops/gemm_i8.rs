//! Matrix products of quantized rows and weights, with one scale per row and one per weight column.

/// Requires of a level what `gemm_f32` requires, and `I`, `GROUP`, `zero_i`, `dot_groups`, `to_float`, `words`.
macro_rules! gemm_i8 {
    ([$($outer:tt)*], [$($inner:tt)*], $token:ident) => {
        /// Bytes of a tile's columns that are multiplied at once.
        pub(crate) const GROUPED: usize = COLUMNS * GROUP;

        /// Quantizes one row into position `r` of every word; returns the scale.
        $($inner)*
        fn quantize(row: &[f32], r: usize, to: &mut [[i32; ROWS]]) -> f32 {
            let (whole, rest) = row.as_chunks::<16>();
            let mut last = [0.0; 16];
            last[..rest.len()].copy_from_slice(rest);
            let tail = if rest.is_empty() { None } else { Some(&last) };
            let mut most = splat(1e-12);
            for x in whole.iter().chain(tail) {
                for x in x.as_chunks::<LANES>().0 {
                    let x = load(x);
                    most = max(most, max(x, sub(splat(0.0), x)));
                }
            }
            let most = max_of(most);
            for (x, to) in whole.iter().chain(tail).zip(to.chunks_mut(16 / GROUP)) {
                for (word, to) in words(x, 127.0 / most).into_iter().zip(to) {
                    to[r] = word;
                }
            }
            most / 127.0
        }

        /// One tile of quantized rows times one panel; see `tile_f32`.
        $($inner)*
        #[expect(clippy::too_many_arguments, reason = "a kernel's operands")]
        fn tile_i8<const M: usize>(
            pack: &[[i32; ROWS]],
            scales: &[f32; ROWS],
            panel: &[[i8; GROUPED]],
            columns: &crate::ops::linear::Columns<'_, COLUMNS>,
            finish: crate::ops::Finish,
            count: usize,
            width: usize,
            stride: usize,
            out: &mut [f32],
        ) {
            let mut sums = [[zero_i(); 2]; M];
            for (x, y) in pack.iter().zip(panel) {
                let (y, _) = y.as_chunks::<{ LANES * GROUP }>();
                for r in 0..M {
                    sums[r][0] = dot_groups(sums[r][0], x[r], &y[0]);
                    sums[r][1] = dot_groups(sums[r][1], x[r], &y[1]);
                }
            }
            let (bias, _) = columns.bias.as_chunks::<LANES>();
            let (scale, _) = columns.scale.as_chunks::<LANES>();
            let (offset, _) = columns.offset.as_chunks::<LANES>();
            for (r, sums) in sums.iter().enumerate().take(count) {
                let of_row = splat(scales[r]);
                let low = fma(to_float(sums[0], &offset[0]), mul(of_row, load(&scale[0])), load(&bias[0]));
                let high = fma(to_float(sums[1], &offset[1]), mul(of_row, load(&scale[1])), load(&bias[1]));
                write_row(&[low, high], finish, &mut out[r * stride..][..width]);
            }
        }

        /// Like [`tile_i8`], for only as many rows as needed.
        $($inner)*
        #[expect(clippy::too_many_arguments, reason = "a kernel's operands")]
        fn tile_of_i8(
            pack: &[[i32; ROWS]],
            scales: &[f32; ROWS],
            panel: &[[i8; GROUPED]],
            columns: &crate::ops::linear::Columns<'_, COLUMNS>,
            finish: crate::ops::Finish,
            count: usize,
            width: usize,
            stride: usize,
            out: &mut [f32],
        ) {
            if count <= ROWS / 3 {
                tile_i8::<{ ROWS / 3 }>(pack, scales, panel, columns, finish, count, width, stride, out);
            } else if count <= 2 * ROWS / 3 {
                tile_i8::<{ 2 * ROWS / 3 }>(pack, scales, panel, columns, finish, count, width, stride, out);
            } else {
                tile_i8::<ROWS>(pack, scales, panel, columns, finish, count, width, stride, out);
            }
        }

        /// `input` (rows of `k`), quantized, times `panels` (of `n` columns) plus bias, finished into `out`.
        $($outer)*
        #[expect(clippy::too_many_arguments, reason = "a kernel's operands")]
        pub(crate) fn gemm_i8(
            _token: $token,
            input: &[f32],
            k: usize,
            n: usize,
            weights: &crate::ops::linear::Quantized,
            bias: &[f32],
            finish: crate::ops::Finish,
            out: &mut [f32],
            scratch: &mut crate::ops::Scratch,
        ) {
            let (groups, tiles) = (k.div_ceil(GROUP), crate::ops::TILES);
            let (pack, _) = crate::ops::grown(&mut scratch.words, tiles * groups * ROWS).as_chunks_mut::<ROWS>();
            let (panels, _) = weights.panels.as_chunks::<GROUPED>();
            let (scale, _) = weights.scale.as_chunks::<COLUMNS>();
            let (offset, _) = weights.offset.as_chunks::<COLUMNS>();
            let (bias, _) = bias.as_chunks::<COLUMNS>();
            let mut scales = [[0.0; ROWS]; crate::ops::TILES];
            for (input, out) in input.chunks(tiles * ROWS * k).zip(out.chunks_mut(tiles * ROWS * n)) {
                for ((rows, pack), scales) in
                    input.chunks(ROWS * k).zip(pack.chunks_exact_mut(groups)).zip(&mut scales)
                {
                    for (r, row) in rows.chunks_exact(k).enumerate() {
                        scales[r] = quantize(row, r, pack);
                    }
                }
                for (at, panel) in panels.chunks_exact(groups).enumerate() {
                    let columns =
                        &crate::ops::linear::Columns { bias: &bias[at], scale: &scale[at], offset: &offset[at] };
                    let width = (n - at * COLUMNS).min(COLUMNS);
                    for ((out, pack), scales) in
                        out.chunks_mut(ROWS * n).zip(pack.chunks_exact(groups)).zip(&scales)
                    {
                        let count = out.len() / n;
                        tile_of_i8(pack, scales, panel, columns, finish, count, width, n, &mut out[at * COLUMNS..]);
                    }
                }
            }
        }
    };
}
pub(crate) use gemm_i8;
