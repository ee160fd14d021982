//! From features to outputs: rows of integers are summed, then a second look includes the neighbours.

use super::features::{Group, Sink};
use super::labels::{Head, OUTPUTS};
use super::layout::Spot;
use super::weights::{LOOKED, VIEWS, Weights, factor};

/// The outputs for one sentence.
pub type Outputs = [f32; OUTPUTS];

/// Rows after which 16-bit sums of signed bytes could overflow.
const FEW: usize = 255;

/// The features of a sentence by group.
#[derive(Debug, Default)]
pub struct Found {
    /// Hashes, in the order of [`Group`].
    pub groups: [Vec<u64>; Group::COUNT],
}

impl Found {
    /// Forgets them.
    pub fn clear(&mut self) {
        self.groups.iter_mut().for_each(Vec::clear);
    }

    /// Each group with its features.
    pub fn each(&self) -> impl Iterator<Item = (Group, &[u64])> {
        Group::ALL.into_iter().zip(self.groups.iter().map(Vec::as_slice))
    }
}

impl Sink for Found {
    fn add(&mut self, group: Group, hash: u64, _: impl FnOnce() -> String) {
        if let Some(hashes) = self.groups.get_mut(group as usize) {
            hashes.push(hash);
        }
    }
}

/// Looks at a sentence alone.
pub fn look(weights: &Weights, found: &Found) -> Outputs {
    let mut outputs = [0.0; OUTPUTS];
    outputs.iter_mut().zip(&weights.dense.biases).for_each(|(output, bias)| *output = *bias);
    for (group, hashes) in found.each() {
        let mut wide = [0_i32; OUTPUTS];
        for some in hashes.chunks(FEW) {
            let mut narrow = [0_i16; OUTPUTS];
            for row in some.iter().filter_map(|hash| weights.row(*hash)) {
                for (sum, weight) in narrow.iter_mut().zip(row) {
                    *sum = sum.wrapping_add(i16::from(weight.cast_signed()));
                }
            }
            wide.iter_mut().zip(&narrow).for_each(|(sum, some)| *sum = sum.wrapping_add(i32::from(*some)));
        }
        let factor = factor(group, hashes.len());
        for ((output, integer), step) in outputs.iter_mut().zip(&wide).zip(&weights.dense.steps) {
            *output += float(*integer) * step * factor;
        }
    }
    outputs
}

/// Sums of at most some thousand bytes are exact.
#[expect(clippy::cast_precision_loss, reason = "sums of at most 65,535 signed bytes")]
const fn float(integer: i32) -> f32 {
    integer as f32
}

/// Probabilities of all outputs but slots, as the second look sees them.
pub fn seen(outputs: &Outputs) -> [f32; LOOKED] {
    let mut seen = [0.0; LOOKED];
    for head in Head::ALL.into_iter().filter(|head| *head != Head::Slot) {
        let range = head.outputs();
        let (Some(from), Some(into)) = (outputs.get(range.clone()), seen.get_mut(range)) else { continue };
        into.copy_from_slice(&probabilities(from, 1.0, 0.0));
    }
    seen
}

/// What the second look sees of each sentence: itself, the one before and after, its paragraph and the message.
pub fn views(looks: &[Outputs], spots: &[Spot]) -> Vec<Vec<f32>> {
    let seen: Vec<[f32; LOOKED]> = looks.iter().map(seen).collect();
    let whole = mean(&seen);
    let none = [0.0; LOOKED];
    let mut paragraphs: Vec<(usize, [f32; LOOKED])> = Vec::new();
    seen.iter()
        .zip(spots)
        .enumerate()
        .map(|(index, (own, spot))| {
            if paragraphs.last().is_none_or(|(head, _)| *head != spot.head) {
                let length = spots.iter().skip(index).take_while(|other| other.head == spot.head).count();
                paragraphs.push((spot.head, mean(seen.get(index..index + length).unwrap_or_default())));
            }
            let paragraph = paragraphs.last().map_or(none, |(_, mean)| *mean);
            let previous = index.checked_sub(1).and_then(|index| seen.get(index)).unwrap_or(&none);
            let next = seen.get(index + 1).unwrap_or(&none);
            let mut view = Vec::with_capacity(LOOKED * VIEWS + 1);
            for part in [own, previous, next, &paragraph, &whole] {
                view.extend_from_slice(part);
            }
            view.push(1.0);
            view
        })
        .collect()
}

fn mean(all: &[[f32; LOOKED]]) -> [f32; LOOKED] {
    let mut sum = [0.0; LOOKED];
    for one in all {
        sum.iter_mut().zip(one).for_each(|(sum, one)| *sum += one);
    }
    let count = u16::try_from(all.len().max(1)).map_or(f32::from(u16::MAX), f32::from);
    sum.map(|sum| sum / count)
}

/// Changes the outputs of a sentence by what the second look sees.
pub fn second_look(second: &[f32], view: &[f32], outputs: &mut Outputs) {
    for (output, row) in outputs.iter_mut().zip(second.chunks_exact(LOOKED * VIEWS + 1)) {
        *output += row.iter().zip(view).map(|(weight, seen)| weight * seen).sum::<f32>();
    }
}

/// Probabilities of the outputs of one head: of yes if it is one, else of each, together one.
pub fn probabilities(outputs: &[f32], factor: f32, summand: f32) -> Vec<f32> {
    if let [output] = outputs {
        return vec![1.0 / (1.0 + libm::expf(-(output * factor + summand)))];
    }
    let most = outputs.iter().copied().fold(f32::MIN, f32::max);
    let powers: Vec<f32> = outputs.iter().map(|output| libm::expf((output - most) * factor)).collect();
    let sum: f32 = powers.iter().sum();
    powers.iter().map(|power| power / sum).collect()
}
