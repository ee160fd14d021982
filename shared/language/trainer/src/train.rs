//! The first look: linear outputs from the features of a sentence.
//!
//! Stochastic gradient descent with step sizes per feature and head (Adagrad), features left out at random, and the mean
//! of the weights after the later rounds. A hidden layer of 32 units, alone or beside the linear outputs, was tried and
//! was no better in cross-validation.

use std::collections::HashMap;

use kimberly_language::judge::features::Group;
use kimberly_language::judge::model::probabilities;
use kimberly_language::judge::{Head, OUTPUTS};

use crate::examples::{Example, Examples};
use crate::random::Random;

/// How often every sentence is seen.
const ROUNDS: usize = 14;
/// The size of first steps.
const RATE: f32 = 0.25;
/// How much weights shrink when they are touched, as a share of the rate.
const DECAY: f32 = 1e-4;
/// The share of features left out at random.
const DROPPED: f32 = 0.25;
/// Fewest sentences with a feature.
const FEWEST: usize = 2;
/// How strongly rare labels count more than common ones: 0 not at all, 1 all labels alike.
const BALANCE: f32 = 0.5;

/// A feature of a sentence: its row, its factor, its group.
type Feature = (usize, f32, Group);

/// A trained first look, in exact numbers.
#[derive(Clone, Debug)]
pub struct First {
    /// The row of each feature.
    pub numbers: HashMap<u32, usize>,
    /// How many sentences have each.
    pub counts: Vec<usize>,
    /// Rows of outputs.
    pub rows: Vec<f32>,
    /// Biases of outputs.
    pub biases: Vec<f32>,
}

impl First {
    fn new(examples: &Examples, chosen: &[usize]) -> Self {
        let mut seen: HashMap<u32, usize> = HashMap::new();
        for (number, ..) in chosen.iter().flat_map(|index| &examples.all[*index].features) {
            *seen.entry(*number).or_default() += 1;
        }
        let mut numbers: Vec<u32> = seen.iter().filter(|(_, count)| **count >= FEWEST).map(|(one, _)| *one).collect();
        numbers.sort_unstable();
        let counts = numbers.iter().map(|number| seen[number]).collect();
        let rows = vec![0.0; numbers.len() * OUTPUTS];
        let numbers = numbers.into_iter().enumerate().map(|(row, number)| (number, row)).collect();
        Self { numbers, counts, rows, biases: vec![0.0; OUTPUTS] }
    }

    /// The rows of a sentence.
    fn known(&self, example: &Example) -> Vec<Feature> {
        let known = example
            .features
            .iter()
            .filter_map(|(number, factor, group)| Some((*self.numbers.get(number)?, *factor, *group)));
        known.collect()
    }

    fn pass(&self, features: &[Feature]) -> [f32; OUTPUTS] {
        let mut sums = [0.0; OUTPUTS];
        sums.copy_from_slice(&self.biases);
        for (row, factor, _) in features {
            let row = &self.rows[row * OUTPUTS..(row + 1) * OUTPUTS];
            sums.iter_mut().zip(row).for_each(|(sum, weight)| *sum += weight * factor);
        }
        sums
    }

    /// The outputs for a sentence.
    pub fn outputs(&self, example: &Example) -> [f32; OUTPUTS] {
        self.pass(&self.known(example))
    }
}

/// How fast a head learns against others.
const fn haste(head: Head) -> f32 {
    match head {
        Head::Keep => 1.0,
        Head::Momentary | Head::Sensitive => 1.5,
        Head::Kind | Head::Owner | Head::Polarity => 2.0,
        Head::Slot => 6.0,
    }
}

/// Whether words around a sentence say something to a head: not what it is about.
const fn reads_around(head: Head) -> bool {
    !matches!(head, Head::Slot | Head::Sensitive)
}

/// How much each label of each head counts: rare ones more.
#[derive(Clone, Debug)]
pub struct Balance(Vec<Vec<f32>>);

impl Balance {
    /// Counts labels of chosen sentences.
    #[expect(clippy::cast_precision_loss, reason = "counts of sentences")]
    pub fn of(examples: &Examples, chosen: &[usize], strength: f32) -> Self {
        let weights = Head::ALL.map(|head| {
            let mut counts = vec![1_usize; head.width().max(2)];
            for target in chosen.iter().filter_map(|index| examples.all[*index].targets[head as usize]) {
                counts[target] += 1;
            }
            // Keep is calibrated, so it is left as it is.
            let balance = if head == Head::Keep { 0.0 } else { strength };
            let powers: Vec<f32> = counts.iter().map(|count| libm::powf(*count as f32, -balance)).collect();
            let weighted: f32 = powers.iter().zip(&counts).map(|(power, count)| power * *count as f32).sum();
            let all = counts.iter().sum::<usize>() as f32;
            powers.iter().map(|power| (power * all / weighted).min(8.0)).collect()
        });
        Self(weights.into())
    }
}

/// The slope of the loss of each head that has a target.
pub fn slopes(outputs: &[f32; OUTPUTS], example: &Example, balance: &Balance) -> Vec<(Head, Vec<f32>)> {
    let mut slopes = Vec::with_capacity(Head::ALL.len());
    for head in Head::ALL {
        let Some(target) = example.targets[head as usize] else { continue };
        let mut slope = probabilities(&outputs[head.outputs()], 1.0, 0.0);
        if let [only] = slope.as_mut_slice() {
            *only -= if target == 1 { 1.0 } else { 0.0 };
        } else {
            slope[target] -= 1.0;
        }
        let weight = balance.0[head as usize][target];
        for one in &mut slope {
            *one *= weight;
        }
        slopes.push((head, slope));
    }
    slopes
}

/// Sums of squared slopes, from which steps follow.
struct Steps {
    /// Per feature and head.
    rows: Vec<[f32; Head::ALL.len()]>,
    biases: Vec<f32>,
}

/// Trains on chosen sentences.
pub fn train(examples: &Examples, chosen: &[usize]) -> First {
    let mut random = Random::new(20_261);
    let mut first = First::new(examples, chosen);
    let balance = Balance::of(examples, chosen, BALANCE);
    let known: Vec<Vec<Feature>> = chosen.iter().map(|index| first.known(&examples.all[*index])).collect();
    let mut steps = Steps { rows: vec![[1e-3; Head::ALL.len()]; first.counts.len()], biases: vec![1e-1; OUTPUTS] };
    let mut order: Vec<usize> = (0..chosen.len()).collect();
    let mut sum = First { rows: vec![0.0; first.rows.len()], biases: vec![0.0; OUTPUTS], ..first.clone() };
    for round in 0..ROUNDS {
        random.shuffle(&mut order);
        for at in &order {
            let kept = 1.0 - DROPPED;
            let features: Vec<Feature> = known[*at]
                .iter()
                .filter(|_| random.unit() < kept)
                .map(|(row, factor, group)| (*row, factor / kept, *group))
                .collect();
            let slopes = slopes(&first.pass(&features), &examples.all[chosen[*at]], &balance);
            step(&mut first, &mut steps, &features, &slopes);
        }
        if round * 2 >= ROUNDS {
            sum.rows.iter_mut().zip(&first.rows).for_each(|(sum, weight)| *sum += weight);
            sum.biases.iter_mut().zip(&first.biases).for_each(|(sum, weight)| *sum += weight);
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "a few rounds")]
    let rounds = (ROUNDS - ROUNDS.div_ceil(2)) as f32;
    sum.rows.iter_mut().chain(&mut sum.biases).for_each(|weight| *weight /= rounds);
    sum
}

/// One sentence changes the weights.
fn step(first: &mut First, steps: &mut Steps, features: &[Feature], slopes: &[(Head, Vec<f32>)]) {
    let shrink = 1.0 - DECAY * RATE;
    let squares: Vec<f32> = slopes.iter().map(|(_, slope)| slope.iter().map(|one| one * one).sum()).collect();
    for (row, factor, group) in features {
        let weights = &mut first.rows[row * OUTPUTS..(row + 1) * OUTPUTS];
        let sums = &mut steps.rows[*row];
        for ((head, slope), square) in slopes.iter().zip(&squares) {
            if *group == Group::Around && !reads_around(*head) {
                continue;
            }
            let sum = &mut sums[*head as usize];
            *sum += square * factor * factor;
            let size = RATE * haste(*head) * factor / libm::sqrtf(*sum);
            let weights = &mut weights[head.outputs()];
            weights.iter_mut().zip(slope).for_each(|(weight, slope)| *weight = *weight * shrink - size * slope);
        }
    }
    for (head, slope) in slopes {
        for (output, slope) in head.outputs().zip(slope) {
            steps.biases[output] += slope * slope;
            first.biases[output] -= RATE * slope / libm::sqrtf(steps.biases[output]);
        }
    }
}
