//! BM25 as FTS5 has it: what repetitions of a word are worth in a text of some length.

/// The weight of repetitions of a word.
const K1: f64 = 1.2;
/// The weight of a text's length.
const B: f64 = 0.75;

/// What it counts that a text of `length` words holds a word `times`, to be multiplied by how rare the word is; `average` is the mean
/// length. In FTS5's order of operations, bit for bit.
pub fn saturation(times: u32, length: f64, average: f64) -> f64 {
    let times = f64::from(times);
    (times * (K1 + 1.0)) / (times + K1 * (1.0 - B + B * length / average))
}
