//! Ranking measures against a question's evidence turns.

/// Maximum evaluated length of a ranking.
pub(crate) const DEPTH: usize = 100;

/// The measures, in the order of [`Measures::values`].
pub(crate) const NAMES: [&str; 5] = ["r_at_5", "r_at_10", "r_at_20", "ndcg_at_10", "mrr"];

/// The measures of one question, or the mean over several.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Measures {
    /// In the order of [`NAMES`].
    pub(crate) values: [f64; 5],
}

impl Measures {
    /// Measures one ranking: `ranks` are the ranks, from 0, of found items, of `wanted` relevant ones.
    pub(crate) fn of(ranks: &[usize], wanted: usize) -> Self {
        let share = |k: usize| count(ranks.iter().filter(|rank| **rank < k).count()) / count(wanted.max(1));
        let gain: f64 = ranks.iter().filter(|rank| **rank < 10).map(|rank| discount(*rank)).sum();
        let best: f64 = (0..wanted.min(10)).map(discount).sum();
        let first = ranks.iter().min().map_or(0.0, |rank| 1.0 / count(rank + 1));
        Self { values: [share(5), share(10), share(20), if best > 0.0 { gain / best } else { 0.0 }, first] }
    }

    /// The mean over questions; zeros without any.
    pub(crate) fn mean(all: &[Self]) -> Self {
        let mut mean = Self::default();
        for (index, value) in mean.values.iter_mut().enumerate() {
            *value = all.iter().map(|one| one.values[index]).sum::<f64>() / count(all.len().max(1));
        }
        mean
    }
}

fn discount(rank: usize) -> f64 {
    1.0 / count(rank + 2).log2()
}

#[expect(clippy::cast_precision_loss, reason = "counts of questions and ranks are far below 2^53")]
fn count(n: usize) -> f64 {
    n as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(values: [f64; 5], expected: f64) -> bool {
        values.iter().all(|value| (value - expected).abs() < 1e-12)
    }

    #[test]
    fn perfect_and_empty_rankings_have_the_extreme_values() {
        assert!(close(Measures::of(&[0, 1], 2).values, 1.0));
        assert!(close(Measures::of(&[], 2).values, 0.0));
    }

    #[test]
    fn measures_count_shares_and_ranks() {
        let values = Measures::of(&[1, 14], 4).values;
        assert_eq!(values[..3], [0.25, 0.25, 0.5]);
        assert!((values[4] - 0.5).abs() < 1e-12);
        let mean = Measures::mean(&[Measures::of(&[0], 1), Measures::of(&[], 1)]);
        assert!(close(mean.values, 0.5));
    }
}
