//! Tests every level against plain definitions, on shapes that are not multiples of a tile.

#![expect(clippy::float_cmp, reason = "what is exact is compared exactly")]

use super::*;
use crate::Cpu;

/// Pseudo-random values in [-1, 1).
fn values(count: usize, seed: u32) -> Vec<f32> {
    let mut state = seed.wrapping_mul(2_654_435_761) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        f32::from(u16::try_from(state >> 16).unwrap()) / 32_768.0 - 1.0
    };
    (0..count).map(|_| next()).collect()
}

fn product(input: &[f32], weights: &[f32], bias: &[f32], k: usize) -> Vec<f64> {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(&x, &y)| f64::from(x) * f64::from(y)).sum::<f64>();
    let row =
        |row: &[f32]| -> Vec<f64> { weights.chunks(k).zip(bias).map(|(w, &b)| dot(row, w) + f64::from(b)).collect() };
    input.chunks(k).flat_map(row).collect()
}

fn finished(x: f64, before: f64, finish: Finish) -> f64 {
    match finish {
        Finish::Store => x,
        Finish::Add => x + before,
        Finish::Relu => x.max(0.0),
        Finish::Gelu => x * 0.5 * (1.0 + erf(x / 2f64.sqrt())),
        Finish::GeluTanh => 0.5 * x * (1.0 + (0.797_884_560_8 * (x + 0.044_715 * x.powi(3))).tanh()),
    }
}

/// erf by its series, accurate to 1e-12 for |x| ≤ 5; beyond that it is 1.
fn erf(x: f64) -> f64 {
    if x.abs() > 5.0 {
        return x.signum();
    }
    let (mut term, mut sum) = (x, x);
    for n in 1..200 {
        term *= -x * x / f64::from(n);
        sum += term / f64::from(2 * n + 1);
    }
    sum * 2.0 / std::f64::consts::PI.sqrt()
}

fn assert_close(what: &str, found: &[f32], expected: &[f64], bound: f64) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (at, (&x, &y)) in found.iter().zip(expected).enumerate() {
        assert!((f64::from(x) - y).abs() <= bound, "{what}: value {at} is {x}, expected {y}");
    }
}

const SHAPES: [(usize, usize, usize); 9] = [
    (1, 1, 1),
    (1, 384, 384),
    (2, 17, 33),
    (5, 3, 100),
    (11, 48, 31),
    (12, 64, 32),
    (13, 16, 65),
    (25, 130, 96),
    (37, 7, 1),
];

const FINISHES: [Finish; 5] = [Finish::Store, Finish::Add, Finish::Gelu, Finish::GeluTanh, Finish::Relu];

#[test]
fn products_in_f32_are_those_of_the_definition_at_every_level() {
    let mut scratch = Scratch::new();
    for cpu in Cpu::levels() {
        for (rows, k, n) in SHAPES {
            let (input, weights, bias) = (values(rows * k, 1), values(n * k, 2), values(n, 3));
            let layer = Linear::float(cpu, &weights, &bias).unwrap();
            assert_eq!((layer.inputs(), layer.outputs()), (k, n));
            for finish in FINISHES {
                let before = values(rows * n, 4);
                let mut out = before.clone();
                layer.apply(&input, finish, &mut out, &mut scratch);
                let exact: Vec<f64> = (product(&input, &weights, &bias, k).into_iter().zip(&before))
                    .map(|(x, &b)| finished(x, f64::from(b), finish))
                    .collect();
                assert_close(&format!("{cpu:?} {rows}x{k}x{n} {finish:?}"), &out, &exact, 3e-5);
            }
        }
    }
}

#[test]
fn quantized_products_are_near_the_definition_and_the_same_at_every_level() {
    let mut scratch = Scratch::new();
    for (rows, k, n) in SHAPES {
        let (input, weights, bias) = (values(rows * k, 5), values(n * k, 6), values(n, 7));
        let exact = product(&input, &weights, &bias, k);
        let mut of_levels = Vec::new();
        for cpu in Cpu::levels() {
            let mut out = vec![0.0; rows * n];
            Linear::quantized(cpu, &weights, &bias).unwrap().apply(&input, Finish::Store, &mut out, &mut scratch);
            // Two roundings of at most half a step of 1/127 in each of k products; they add up like a random walk.
            let bound = 4.0 / 127.0 * f64::from(u32::try_from(k).unwrap()).sqrt().max(1.0) * 0.4;
            assert_close(&format!("{cpu:?} {rows}x{k}x{n}"), &out, &exact, bound);
            of_levels.push(out);
        }
        let reference: Vec<f64> = of_levels.pop().unwrap().into_iter().map(f64::from).collect();
        for out in of_levels {
            assert_close(&format!("{rows}x{k}x{n}"), &out, &reference, 2e-5);
        }
    }
}

#[test]
fn rows_of_zeros_and_of_huge_values_survive_quantization() {
    let mut scratch = Scratch::new();
    for cpu in Cpu::levels() {
        let layer = Linear::quantized(cpu, &[1.0; 20], &[0.5, -0.5]).unwrap();
        let mut out = [9.0; 4];
        layer.apply(&[[0.0; 10], [1e30; 10]].concat(), Finish::Store, &mut out, &mut scratch);
        assert_eq!(&out[..2], &[0.5, -0.5], "{cpu:?}");
        assert!((out[2] / 1e31 - 1.0).abs() < 1e-2 && (out[3] / 1e31 - 1.0).abs() < 1e-2, "{cpu:?}: {out:?}");
    }
}

#[test]
fn what_is_no_matrix_cannot_be_packed() {
    let cpu = Cpu::detect();
    for (weights, bias) in [(7, 2), (0, 2), (4, 0), (0, 0), (1, 2)] {
        let (weights, bias) = (vec![1.0; weights], vec![1.0; bias]);
        assert!(Linear::float(cpu, &weights, &bias).is_none() && Linear::quantized(cpu, &weights, &bias).is_none());
    }
}

fn attention_by_definition(qkv: &[f32], lengths: &[usize], heads: Heads) -> Vec<f64> {
    let (width, d) = (heads.width(), heads.dimension);
    let mut out = Vec::new();
    let mut start = 0;
    for &length in lengths {
        let at = |token: usize, part: usize, head: usize, i: usize| {
            f64::from(qkv[(start + token) * 3 * width + part * width + head * d + i])
        };
        for token in 0..length {
            for head in 0..heads.count {
                let score = |other: usize| (0..d).map(|i| at(token, 0, head, i) * at(other, 1, head, i)).sum::<f64>();
                let weights: Vec<f64> = (0..length).map(|other| score(other).exp()).collect();
                let total: f64 = weights.iter().sum();
                out.extend((0..d).map(|i| {
                    weights.iter().enumerate().map(|(other, w)| w * at(other, 2, head, i)).sum::<f64>() / total
                }));
            }
        }
        start += length;
    }
    out
}

#[test]
fn attention_is_that_of_the_definition_at_every_level() {
    let mut scratch = Scratch::new();
    for cpu in Cpu::levels() {
        for heads in [(1, 1), (12, 32), (2, 64), (3, 26), (2, 16)] {
            let heads = Heads { count: heads.0, dimension: heads.1 };
            let lengths = [1, 33, 0, 12, 2, 31, 70, 13];
            let rows: usize = lengths.iter().sum();
            let qkv: Vec<f32> = values(rows * 3 * heads.width(), 8).into_iter().map(|x| x * 2.0).collect();
            let mut out = vec![0.0; rows * heads.width()];
            attend(cpu, &qkv, &lengths, heads, &mut out, &mut scratch);
            assert_close(&format!("{cpu:?} {heads:?}"), &out, &attention_by_definition(&qkv, &lengths, heads), 2e-5);
        }
    }
}

#[test]
fn scores_far_apart_leave_one_token_and_no_nan() {
    for cpu in Cpu::levels() {
        let heads = Heads { count: 1, dimension: 2 };
        let qkv = [1e4, 0.0, 1.0, 0.0, 5.0, 6.0, 1e4, 0.0, -1.0, 0.0, 7.0, 8.0];
        let mut out = [0.0; 4];
        attend(cpu, &qkv, &[2], heads, &mut out, &mut Scratch::new());
        assert_eq!(out, [5.0, 6.0, 5.0, 6.0], "{cpu:?}");
    }
}

#[test]
fn tokens_that_are_not_there_are_passed_over() {
    let heads = Heads { count: 1, dimension: 2 };
    let mut out = [7.0; 2];
    attend(Cpu::detect(), &[1.0; 6], &[2], heads, &mut out, &mut Scratch::new());
    assert_eq!(out, [7.0, 7.0]);
}

#[test]
fn layer_norms_are_those_of_the_definition_at_every_level() {
    for cpu in Cpu::levels() {
        for width in [1, 3, 16, 33, 312, 384] {
            let (gain, bias) = (values(width, 9), values(width, 10));
            // Far from zero, where a variance computed from the mean of squares would lose precision.
            let mut rows: Vec<f32> = values(width * 3, 11).into_iter().map(|x| x + 50.0).collect();
            let expected: Vec<f64> = rows.chunks(width).flat_map(|row| normed(row, &gain, &bias)).collect();
            layer_norm(cpu, &mut rows, &gain, &bias, 1e-5);
            assert_close(&format!("{cpu:?} {width}"), &rows, &expected, 2e-4);
        }
        layer_norm(cpu, &mut [1.0], &[], &[], 1e-5);
    }
}

fn normed(row: &[f32], gain: &[f32], bias: &[f32]) -> Vec<f64> {
    let count = f64::from(u32::try_from(row.len()).unwrap());
    let mean = row.iter().copied().map(f64::from).sum::<f64>() / count;
    let variance = row.iter().map(|&x| (f64::from(x) - mean).powi(2)).sum::<f64>() / count;
    let centred = row.iter().map(|&x| (f64::from(x) - mean) / (variance + 1e-5).sqrt());
    centred.zip(gain.iter().zip(bias)).map(|(x, (&g, &b))| x * f64::from(g) + f64::from(b)).collect()
}

#[test]
fn pooling_is_over_whole_rows_and_length_becomes_one() {
    let rows = [1.0, -2.0, 3.0, -6.0, 9.0];
    let mut out = [0.0; 2];
    mean(&rows, &mut out);
    assert_eq!(out, [2.0, -4.0]);
    max(&rows, &mut out);
    assert_eq!(out, [3.0, -2.0]);
    cls(&rows, &mut out);
    assert_eq!(out, [1.0, -2.0]);
    for pool in [mean, max, cls] {
        let mut out = [7.0; 2];
        pool(&[], &mut out);
        assert_eq!(out, [0.0, 0.0]);
        pool(&[1.0], &mut []);
    }
    let mut x = [3.0, 4.0];
    normalize(&mut x);
    assert_eq!(x, [0.6, 0.8]);
    let mut nothing = [0.0; 2];
    normalize(&mut nothing);
    assert_eq!(nothing, [0.0, 0.0]);
}
