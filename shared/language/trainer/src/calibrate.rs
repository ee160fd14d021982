//! Turns outputs into probabilities, and finds the thresholds of what is surely and perhaps kept.

use kimberly_language::judge::model::probabilities;
use kimberly_language::judge::{Head, OUTPUTS};

use crate::examples::Examples;
use crate::measure::{Scored, precision_recall};

/// The least precision of what is surely kept, on sentences of conversations that were not trained on.
const SURE: f32 = 0.87;
/// The least recall of what is at least perhaps kept.
const PERHAPS: f32 = 0.93;
/// How much recall counts against precision: of what is momentary, and of what asks for a consent.
const WEIGHTS: [(Head, f32); 2] = [(Head::Momentary, 1.0), (Head::Sensitive, 2.0)];

/// The factor and summand of each head that make outputs most probable.
pub fn calibration(examples: &Examples, chosen: &[usize], outputs: &[[f32; OUTPUTS]]) -> Vec<f32> {
    let of_head = |head: Head| {
        let told: Vec<(&[f32], usize)> = chosen
            .iter()
            .filter_map(|index| Some((&outputs[*index][head.outputs()], examples.all[*index].targets[head as usize]?)))
            .collect();
        let loss = |factor: f32, summand: f32| -> f32 {
            let one = |(outputs, target): &(&[f32], usize)| {
                let probabilities = probabilities(outputs, factor, summand);
                let right = match probabilities.as_slice() {
                    [yes] => {
                        if *target == 1 {
                            *yes
                        } else {
                            1.0 - yes
                        }
                    }
                    all => all[*target],
                };
                -libm::logf(right.max(1e-6))
            };
            told.iter().map(one).sum()
        };
        search(loss, head.width() == 1)
    };
    Head::ALL.into_iter().flat_map(of_head).collect()
}

/// Looks for the least loss in ever smaller steps.
fn search(loss: impl Fn(f32, f32) -> f32, with_summand: bool) -> [f32; 2] {
    let (mut best, mut least) = ([1.0, 0.0], loss(1.0, 0.0));
    let mut step = 0.4;
    while step > 0.01 {
        let [factor, summand] = best;
        let sides = if with_summand { [-2.0 * step, 2.0 * step] } else { [0.0, 0.0] };
        let tried = [[factor * (1.0 + step), summand], [factor / (1.0 + step), summand]];
        let tried = tried.into_iter().chain(sides.map(|side| [factor, summand + side]));
        let found = tried.map(|one| (loss(one[0], one[1]), one)).min_by(|left, right| left.0.total_cmp(&right.0));
        match found {
            Some((loss, one)) if loss < least => (least, best) = (loss, one),
            _ => step /= 2.0,
        }
    }
    best
}

/// The scores of one head of yes and no.
pub fn scored(
    examples: &Examples,
    chosen: &[usize],
    outputs: &[[f32; OUTPUTS]],
    calibration: &[f32],
    head: Head,
) -> Vec<Scored> {
    let at = head as usize * 2;
    let score = |index: &usize| {
        let target = examples.all[*index].targets[head as usize]?;
        let probability = probabilities(&outputs[*index][head.outputs()], calibration[at], calibration[at + 1]);
        Some((probability[0], target == 1))
    };
    chosen.iter().filter_map(score).collect()
}

/// The thresholds of sure and perhaps, of momentary and of sensitive.
pub fn thresholds(examples: &Examples, chosen: &[usize], outputs: &[[f32; OUTPUTS]], calibration: &[f32]) -> Vec<f32> {
    let keep = scored(examples, chosen, outputs, calibration, Head::Keep);
    let sure = steps().find(|step| precision_recall(&keep, *step).0 >= SURE).unwrap_or(0.99);
    let perhaps = steps().take_while(|step| precision_recall(&keep, *step).1 >= PERHAPS).last().unwrap_or(0.01);
    let flags = WEIGHTS.map(|(head, weight)| {
        let scored = scored(examples, chosen, outputs, calibration, head);
        let worth = |step: f32| {
            let (precision, recall) = precision_recall(&scored, step);
            let square = weight * weight;
            (1.0 + square) * precision * recall / (square * precision + recall).max(1e-6)
        };
        steps().max_by(|left, right| worth(*left).total_cmp(&worth(*right))).unwrap_or(0.5)
    });
    [vec![sure, perhaps.min(sure)], flags.to_vec()].concat()
}

/// Thresholds to try.
fn steps() -> impl Iterator<Item = f32> {
    (1_u16..200).map(|step| f32::from(step) / 200.0)
}
