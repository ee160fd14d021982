//! A time profile of a batch: each kernel by itself on the shapes of all-MiniLM-L6-v2, and the whole.

use std::error::Error;
use std::hint::black_box;
use std::time::Instant;

use kimberly_embedder::model::{Purpose, Workspace};
use kimberly_kernels::{Cpu, Finish, Heads, Linear, Scratch, attend, layer_norm};
use serde_json::{Value, json};

use super::Settings;

const HIDDEN: usize = 384;
const WIDE: usize = 1_536;
const LAYERS: f64 = 6.0;
/// Rows of the product that measures the peak: few enough to stay in the cache.
const PEAK_ROWS: usize = 192;

/// Microseconds per part of one batch of set `all`, and the processor's peak for matrix products.
#[expect(clippy::cast_precision_loss, reason = "a few thousand rows")]
pub(super) fn measure(settings: &Settings) -> Result<Value, Box<dyn Error>> {
    let model = settings.open()?;
    let texts = &settings.sets["all"];
    let tokenize = || texts.iter().map(|text| model.tokenize(text, Purpose::Document)).collect::<Result<Vec<_>, _>>();
    let tokens = tokenize()?;
    let lengths: Vec<usize> = tokens.iter().map(Vec::len).collect();
    let rows: usize = lengths.iter().sum();
    let (cpu, mut scratch, mut workspace) = (Cpu::detect(), Scratch::new(), Workspace::default());
    let floats =
        |count: usize| -> Vec<f32> { (0..count).map(|at| (at * 7_919 % 1_000) as f32 / 500.0 - 1.0).collect() };
    let linear = |n: usize, k: usize| {
        let (weights, bias) = (floats(n * k), floats(n));
        let made = if settings.precision == "f32" {
            Linear::float(cpu, &weights, &bias)
        } else {
            Linear::quantized(cpu, &weights, &bias)
        };
        made.ok_or("weights and bias do not fit")
    };
    let (qkv, out, up, down) =
        (linear(3 * HIDDEN, HIDDEN)?, linear(HIDDEN, HIDDEN)?, linear(WIDE, HIDDEN)?, linear(HIDDEN, WIDE)?);
    let (x, wide) = (floats(rows * HIDDEN), floats(rows * WIDE));
    let (mut narrow_out, mut wide_out) = (floats(rows * HIDDEN), floats(rows * WIDE));
    let gain = floats(HIDDEN);
    let heads = Heads { count: 12, dimension: 32 };
    let mut product = |layer: &Linear, x: &[f32], finish, out: &mut [f32]| {
        best_us(|| layer.apply(black_box(x), finish, black_box(out), &mut scratch))
    };
    let up_plain = product(&up, &x, Finish::Store, &mut wide_out);
    let matmul = up_plain
        + product(&qkv, &x, Finish::Store, &mut wide_out)
        + product(&out, &x, Finish::Store, &mut narrow_out)
        + product(&down, &wide, Finish::Store, &mut narrow_out);
    let gelu = product(&up, &x, Finish::Gelu, &mut wide_out) - up_plain;
    let mut scratch = Scratch::new();
    let attention =
        best_us(|| attend(cpu, black_box(&wide), &lengths, heads, black_box(&mut narrow_out), &mut scratch));
    let norm = best_us(|| layer_norm(cpu, black_box(&mut narrow_out), &gain, &gain, 1e-12)) * 2.0;
    let tokenizer = best_us(|| {
        black_box(tokenize().ok());
    });
    let whole = best_us(|| {
        black_box(model.embed(&tokens, &mut workspace).ok());
    });
    let peak_in = floats(PEAK_ROWS * HIDDEN);
    let mut peak_out = floats(PEAK_ROWS * WIDE);
    let peak_us = best_us(|| up.apply(black_box(&peak_in), Finish::Store, black_box(&mut peak_out), &mut scratch));
    let operations = |rows: usize, n: usize, k: usize| 2.0 * (rows * n * k) as f64;
    let per_layer = operations(rows, 4 * HIDDEN, HIDDEN) + operations(rows, 2 * WIDE, HIDDEN);
    Ok(json!({
        "tokens": rows,
        "us": {
            "matmul": matmul * LAYERS,
            "gelu": gelu * LAYERS,
            "attention": attention * LAYERS,
            "layer_norm": norm * LAYERS,
            "tokenizer": tokenizer,
            "forward": whole,
        },
        "peak_gops": operations(PEAK_ROWS, WIDE, HIDDEN) / peak_us / 1e3,
        "forward_gops": per_layer * LAYERS / whole / 1e3,
    }))
}

/// The best of many runs, in microseconds.
fn best_us(mut run: impl FnMut()) -> f64 {
    let begun = Instant::now();
    let mut best = f64::MAX;
    while begun.elapsed().as_secs_f64() < 0.4 {
        let start = Instant::now();
        run();
        best = best.min(start.elapsed().as_secs_f64() * 1e6);
    }
    best
}
