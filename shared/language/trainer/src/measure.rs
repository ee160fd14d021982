//! Figures: how often the judge is right.
#![expect(clippy::cast_precision_loss, reason = "counts of sentences")]

use kimberly_language::judge::{Head, OUTPUTS};

/// Whether, and how surely, a yes was right: the score and the truth.
pub type Scored = (f32, bool);

/// Precision and recall at a threshold.
pub fn precision_recall(scored: &[Scored], threshold: f32) -> (f32, f32) {
    let said = scored.iter().filter(|(score, _)| *score >= threshold).count();
    let right = scored.iter().filter(|(score, truth)| *score >= threshold && *truth).count();
    let all = scored.iter().filter(|(_, truth)| *truth).count();
    (share(right, said), share(right, all))
}

/// Average precision: the area under precision over recall.
pub fn average_precision(scored: &[Scored]) -> f32 {
    let mut sorted = scored.to_vec();
    sorted.sort_by(|left, right| right.0.total_cmp(&left.0));
    let (mut right, mut sum) = (0_usize, 0.0);
    for (rank, (_, truth)) in sorted.iter().enumerate() {
        if *truth {
            right += 1;
            sum += share(right, rank + 1);
        }
    }
    if right == 0 { 0.0 } else { sum / right as f32 }
}

/// A part of a whole; of nothing it is 0.
pub fn share(part: usize, whole: usize) -> f32 {
    if whole == 0 { 0.0 } else { part as f32 / whole as f32 }
}

/// What a head said and what was true, for some sentences.
#[derive(Clone, Debug, Default)]
pub struct Pairs(Vec<(usize, usize)>);

impl Pairs {
    /// Adds a sentence.
    pub fn add(&mut self, said: usize, truth: usize) {
        self.0.push((said, truth));
    }

    /// The number of sentences.
    pub const fn count(&self) -> usize {
        self.0.len()
    }

    /// The share that is right.
    pub fn accuracy(&self) -> f32 {
        share(self.0.iter().filter(|(said, truth)| said == truth).count(), self.0.len())
    }

    /// Right, said and true of one label.
    pub fn of(&self, label: usize) -> (usize, usize, usize) {
        let said = self.0.iter().filter(|(said, _)| *said == label).count();
        let truth = self.0.iter().filter(|(_, truth)| *truth == label).count();
        (self.0.iter().filter(|(said, truth)| *said == label && *truth == label).count(), said, truth)
    }

    /// F1 of one label.
    pub fn f1(&self, label: usize) -> f32 {
        let (right, said, truth) = self.of(label);
        share(2 * right, said + truth)
    }

    /// The mean of F1 over the labels that occur.
    pub fn macro_f1(&self) -> f32 {
        let mut labels: Vec<usize> = self.0.iter().map(|(_, truth)| *truth).collect();
        labels.sort_unstable();
        labels.dedup();
        let sum: f32 = labels.iter().map(|label| self.f1(*label)).sum();
        if labels.is_empty() { 0.0 } else { sum / labels.len() as f32 }
    }
}

/// What a head says: the number of the label, or 1 for yes.
pub fn said(outputs: &[f32; OUTPUTS], head: Head) -> usize {
    let of_head = &outputs[head.outputs()];
    if let [output] = of_head {
        return usize::from(*output >= 0.0);
    }
    let best = of_head.iter().enumerate().max_by(|left, right| left.1.total_cmp(right.1).then(right.0.cmp(&left.0)));
    best.map_or(0, |(label, _)| label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_those_of_the_books() {
        let scored = [(0.9, true), (0.8, false), (0.7, true), (0.1, false)];
        assert_eq!(precision_recall(&scored, 0.75), (0.5, 0.5));
        assert!((average_precision(&scored) - 5.0 / 6.0).abs() < 1e-6);
        let mut pairs = Pairs::default();
        for (said, truth) in [(0, 0), (0, 1), (1, 1), (2, 2)] {
            pairs.add(said, truth);
        }
        assert!((pairs.accuracy() - 0.75).abs() < 1e-6);
        assert!((pairs.f1(1) - 2.0 / 3.0).abs() < 1e-6);
    }
}
