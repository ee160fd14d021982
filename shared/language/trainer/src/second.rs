//! The second look: what the judge said about a sentence and those around it changes what it says.

use kimberly_language::judge::OUTPUTS;
use kimberly_language::judge::model::{second_look, views};
use kimberly_language::judge::weights::{LOOKED, VIEWS};

use crate::examples::Examples;
use crate::random::Random;
use crate::train::{Balance, slopes};

const INPUTS: usize = LOOKED * VIEWS + 1;
const ROUNDS: usize = 30;
/// How strongly rare labels count more than common ones.
const BALANCE: f32 = 0.15;
const RATE: f32 = 0.05;
/// How much weights shrink at each sentence, as a share of the step.
const DECAY: f32 = 2e-3;

/// What the second look sees of each sentence, from the first looks at all.
pub fn all_views(examples: &Examples, looks: &[[f32; OUTPUTS]]) -> Vec<Vec<f32>> {
    let messages = examples.messages.iter();
    messages.flat_map(|(range, spots)| views(&looks[range.clone()], spots)).collect()
}

/// Trains on chosen sentences, whose first looks come from models that have not seen them.
pub fn train(examples: &Examples, chosen: &[usize], looks: &[[f32; OUTPUTS]], views: &[Vec<f32>]) -> Vec<f32> {
    let mut second = vec![0.0; LOOKED * INPUTS];
    let mut sums = vec![1e-2; LOOKED * INPUTS];
    let mut random = Random::new(2);
    let balance = Balance::of(examples, chosen, BALANCE);
    let mut order = chosen.to_vec();
    let mut mean = vec![0.0; second.len()];
    for round in 0..ROUNDS {
        random.shuffle(&mut order);
        for index in &order {
            let view = &views[*index];
            let mut outputs = looks[*index];
            second_look(&second, view, &mut outputs);
            for (head, slope) in slopes(&outputs, &examples.all[*index], &balance) {
                for (output, slope) in head.outputs().zip(slope).filter(|(output, _)| *output < LOOKED) {
                    let row = output * INPUTS..(output + 1) * INPUTS;
                    let weights = second[row.clone()].iter_mut().zip(&mut sums[row]);
                    for ((weight, sum), seen) in weights.zip(view) {
                        let slope = slope * seen + DECAY * *weight;
                        *sum += slope * slope;
                        *weight -= RATE * slope / libm::sqrtf(*sum);
                    }
                }
            }
        }
        if round * 2 >= ROUNDS {
            mean.iter_mut().zip(&second).for_each(|(mean, weight)| *mean += weight);
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "a few rounds")]
    let rounds = (ROUNDS - ROUNDS.div_ceil(2)) as f32;
    mean.iter().map(|weight| weight / rounds).collect()
}

/// The outputs after the second look.
pub fn apply(second: &[f32], looks: &[[f32; OUTPUTS]], views: &[Vec<f32>]) -> Vec<[f32; OUTPUTS]> {
    let both = looks.iter().zip(views);
    let looked = both.map(|(look, view)| {
        let mut outputs = *look;
        second_look(second, view, &mut outputs);
        outputs
    });
    looked.collect()
}
