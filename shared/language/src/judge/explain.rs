//! Why the judge says what it says: the features that speak most for it.

use super::features::{Group, Scene, Sink};
use super::labels::Head;
use super::model::Outputs;
use super::verdict::best_two;
use super::weights::{Weights, factor};

/// A feature that speaks for a verdict.
#[derive(Clone, Debug, PartialEq)]
pub struct Reason {
    /// The feature, readably.
    pub feature: String,
    /// How much it adds to the output against the next best one.
    pub weight: f32,
}

/// Reasons shown.
const SHOWN: usize = 3;

struct Named(Vec<(Group, u64, String)>);

impl Sink for Named {
    fn add(&mut self, group: Group, hash: u64, name: impl FnOnce() -> String) {
        self.0.push((group, hash, name()));
    }
}

/// The strongest reasons for the verdict of one head.
pub(super) fn reasons(
    weights: &Weights,
    scene: &Scene<'_>,
    index: usize,
    head: Head,
    look: &Outputs,
    after: &Outputs,
) -> Vec<Reason> {
    let mut named = Named(Vec::new());
    scene.features(index, &mut named);
    let toward = direction(head, after);
    let count = |group: Group| named.0.iter().filter(|(other, ..)| *other == group).count();
    let counts = Group::ALL.map(count);
    let mut reasons: Vec<Reason> = Vec::new();
    for (group, hash, feature) in &named.0 {
        let Some(row) = weights.row(*hash) else { continue };
        let factor = factor(*group, counts.get(*group as usize).copied().unwrap_or_default());
        let weight = worth(weights, row, &toward) * factor;
        // The same letters may stand in several words.
        if let Some(known) = reasons.iter_mut().find(|reason| reason.feature == *feature) {
            known.weight += weight;
        } else {
            reasons.push(Reason { feature: feature.clone(), weight });
        }
    }
    let around = toward.iter().map(|(output, sign)| {
        let at = |outputs: &Outputs| outputs.get(*output).copied().unwrap_or_default();
        sign * (at(after) - at(look))
    });
    reasons
        .push(Reason { feature: "the verdicts on this sentence and those around it".to_owned(), weight: around.sum() });
    reasons.retain(|reason| reason.weight > 0.0);
    reasons.sort_by(|left, right| right.weight.total_cmp(&left.weight));
    reasons.truncate(SHOWN);
    reasons
}

/// The outputs that speak for a verdict, and the one against which it won.
fn direction(head: Head, after: &Outputs) -> Vec<(usize, f32)> {
    let of_head = after.get(head.outputs()).unwrap_or_default();
    if let [output] = of_head {
        return vec![(head.start(), if *output >= 0.0 { 1.0 } else { -1.0 })];
    }
    let (best, second) = best_two(of_head);
    vec![(head.start() + best, 1.0), (head.start() + second, -1.0)]
}

/// What a row adds in a direction.
fn worth(weights: &Weights, row: &[u8], toward: &[(usize, f32)]) -> f32 {
    let step = |output: usize| weights.dense.steps.get(output).copied().unwrap_or_default();
    let value = |output: usize| row.get(output).map_or(0.0, |byte| f32::from(byte.cast_signed()) * step(output));
    toward.iter().map(|(output, sign)| sign * value(*output)).sum()
}
