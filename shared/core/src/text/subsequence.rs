//! The longest common subsequence: which items of two sequences match in order.

/// The item that another one matches among several equal ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// The last one that fits.
    Last,
    /// The first one that fits.
    First,
}

/// Returns the longest common subsequence, as index pairs in order. Of equal items of `two`, the first that fit are
/// used. Time and memory grow with the product of both lengths.
pub fn common<T>(one: &[T], two: &[T], is_same: impl Fn(&T, &T) -> bool, of: Of) -> Vec<(usize, usize)> {
    if one.is_empty() || two.is_empty() {
        return Vec::new();
    }
    let width = two.len() + 1;
    // For each pair of items: the length of the longest common subsequence from there on.
    let mut counts = vec![0_u16; (one.len() + 1) * width];
    for i in (0..one.len()).rev() {
        for j in (0..two.len()).rev() {
            let (here, below) = (i * width + j, (i + 1) * width + j);
            counts[here] = if is_same(&one[i], &two[j]) {
                counts[below + 1].saturating_add(1)
            } else {
                counts[below].max(counts[here + 1])
            };
        }
    }
    let (mut pairs, mut i, mut j) = (Vec::new(), 0, 0);
    while i < one.len() && j < two.len() {
        let (here, below) = (counts[i * width + j], counts[(i + 1) * width + j]);
        if here == 0 {
            break;
        }
        let is = is_same(&one[i], &two[j]);
        if below == here && !(is && of == Of::First) {
            i += 1;
        } else if is {
            pairs.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else {
            j += 1;
        }
    }
    pairs
}
