//! Operations per value or per row: activations and layer norms.

use crate::Cpu;
use crate::cpu::at_level;
use crate::level::portable;
#[cfg(target_arch = "x86_64")]
use crate::level::{avx2, avx512};

/// Normalizes each row (as long as `gain` and `bias`, which have equal lengths) to mean 0 and variance 1, then scales
/// and shifts it, in place. An incomplete last row is left unchanged.
pub fn layer_norm(cpu: Cpu, rows: &mut [f32], gain: &[f32], bias: &[f32], epsilon: f32) {
    if !gain.is_empty() {
        at_level!(cpu, layer_norm(rows, gain, bias, epsilon));
    }
}

/// Requires of a level the operations on `F`.
macro_rules! elementwise {
    ([$($outer:tt)*], [$($inner:tt)*], $token:ident) => {
        /// The value to store for a product `x` where `before` is stored.
        $($inner)*
        fn finished(x: F, before: F, finish: crate::ops::Finish) -> F {
            match finish {
                crate::ops::Finish::Store => x,
                crate::ops::Finish::Add => add(x, before),
                crate::ops::Finish::Gelu => gelu(x),
                crate::ops::Finish::GeluTanh => gelu_tanh(x),
                crate::ops::Finish::Relu => max(x, splat(0.0)),
            }
        }

        /// `x * (1 + erf(x / sqrt 2)) / 2`, with erf as a quotient of polynomials; absolute error below 2e-6.
        $($inner)*
        fn gelu(x: F) -> F {
            let near = max(min(x, splat(crate::level::ERF_FLAT)), splat(-crate::level::ERF_FLAT));
            let square = mul(near, near);
            let (mut over, mut under) =
                (splat(crate::level::ERF_OVER[0]), splat(crate::level::ERF_UNDER[0]));
            for (a, b) in crate::level::ERF_OVER[1..].iter().zip(&crate::level::ERF_UNDER[1..]) {
                over = fma(over, square, splat(*a));
                under = fma(under, square, splat(*b));
            }
            let half = mul(splat(0.5), x);
            fma(half, div(mul(near, over), under), half)
        }

        /// The tanh approximation that some models were trained with.
        $($inner)*
        fn gelu_tanh(x: F) -> F {
            let cube = mul(mul(x, x), x);
            let inner = mul(splat(0.797_884_6), fma(splat(0.044_715), cube, x));
            let e = exp(min(mul(splat(2.0), inner), splat(40.0)));
            let tanh = sub(splat(1.0), div(splat(2.0), add(e, splat(1.0))));
            mul(mul(splat(0.5), x), add(splat(1.0), tanh))
        }

        /// See the public `layer_norm`.
        $($outer)*
        #[expect(clippy::cast_precision_loss, reason = "a row is far shorter than 2^24")]
        pub(crate) fn layer_norm(_token: $token, rows: &mut [f32], gain: &[f32], bias: &[f32], epsilon: f32) {
            let length = gain.len();
            let (gains, gains_rest) = gain.as_chunks::<LANES>();
            let (biases, biases_rest) = bias.as_chunks::<LANES>();
            for row in rows.chunks_exact_mut(length) {
                let (lanes, rest) = row.as_chunks_mut::<LANES>();
                let mut sum = splat(0.0);
                for x in lanes.iter() {
                    sum = add(sum, load(x));
                }
                let mean = (sum_of(sum) + rest.iter().sum::<f32>()) / length as f32;
                let mut squares = splat(0.0);
                for x in lanes.iter() {
                    let x = sub(load(x), splat(mean));
                    squares = fma(x, x, squares);
                }
                let rest_squares = rest.iter().map(|x| (x - mean) * (x - mean)).sum::<f32>();
                let scale = 1.0 / ((sum_of(squares) + rest_squares) / length as f32 + epsilon).sqrt();
                for ((x, gain), bias) in lanes.iter_mut().zip(gains).zip(biases) {
                    let centred = mul(sub(load(x), splat(mean)), splat(scale));
                    store(x, fma(centred, load(gain), load(bias)));
                }
                for ((x, gain), bias) in rest.iter_mut().zip(gains_rest).zip(biases_rest) {
                    *x = (*x - mean) * scale * gain + bias;
                }
            }
        }
    };
}
pub(crate) use elementwise;
