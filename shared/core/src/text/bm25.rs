//! BM25 as in FTS5: the weight of repeated words in a text of some length.

/// Controls the saturation of repeated words (k1).
const K1: f64 = 1.2;
/// Controls the normalization by length (b).
const B: f64 = 0.75;

/// The term-frequency factor of BM25 for a word that occurs `times` times in a text of `length` words; multiply it by
/// the word's rarity. `average` is the mean length. Uses FTS5's order of operations, so results are bit-identical.
pub fn saturation(times: u32, length: f64, average: f64) -> f64 {
    let times = f64::from(times);
    (times * (K1 + 1.0)) / (times + K1 * (1.0 - B + B * length / average))
}
