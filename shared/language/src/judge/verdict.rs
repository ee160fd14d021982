//! What the judge says about a sentence, with how sure it is.

use super::labels::{Head, Kind, Owner, Polarity, Slot};
use super::model::{Outputs, probabilities};
use super::weights::Dense;

/// A label with how sure it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice<T> {
    /// The most probable label.
    pub value: T,
    /// Its probability.
    pub probability: f32,
    /// How far its output is before that of the next.
    pub margin: f32,
}

/// Yes or no with how sure it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flag {
    /// Whether it is yes. Of what is sensitive, that is said before it is probable.
    pub value: bool,
    /// The probability of yes.
    pub probability: f32,
    /// The output before calibration.
    pub margin: f32,
}

/// What to do with a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Certainty {
    /// Not worth keeping.
    Leave,
    /// Perhaps: it only annotates what was said.
    Unsure,
    /// Worth a record.
    Sure,
}

/// Whether a sentence is worth keeping.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Keep {
    /// What to do with it.
    pub certainty: Certainty,
    /// The probability that it is worth keeping.
    pub probability: f32,
    /// The output before calibration.
    pub margin: f32,
}

/// Everything that the judge says about a sentence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verdict {
    /// Is it worth keeping?
    pub keep: Keep,
    /// What kind of memory would it make?
    pub kind: Choice<Kind>,
    /// Whom is it about?
    pub owner: Choice<Owner>,
    /// Is it so?
    pub polarity: Choice<Polarity>,
    /// What does it fill or end?
    pub slot: Choice<Option<Slot>>,
    /// Is it true for hours or days only?
    pub momentary: Flag,
    /// Must the person consent before it is kept?
    pub sensitive: Flag,
}

impl Verdict {
    pub(super) fn of(outputs: &Outputs, dense: &Dense) -> Self {
        let threshold = |index: usize| dense.thresholds.get(index).copied().unwrap_or(1.0);
        let keep = flag(outputs, dense, Head::Keep, threshold(0));
        let certainty = match keep.probability {
            sure if sure >= threshold(0) => Certainty::Sure,
            unsure if unsure >= threshold(1) => Certainty::Unsure,
            _ => Certainty::Leave,
        };
        let slots: Vec<Option<Slot>> = std::iter::once(None).chain(Slot::ALL.iter().copied().map(Some)).collect();
        Self {
            keep: Keep { certainty, probability: keep.probability, margin: keep.margin },
            kind: choice(outputs, dense, Head::Kind, Kind::ALL, Kind::Fact),
            owner: choice(outputs, dense, Head::Owner, Owner::ALL, Owner::Me),
            polarity: choice(outputs, dense, Head::Polarity, Polarity::ALL, Polarity::Holds),
            slot: choice(outputs, dense, Head::Slot, &slots, None),
            momentary: flag(outputs, dense, Head::Momentary, threshold(2)),
            sensitive: flag(outputs, dense, Head::Sensitive, threshold(3)),
        }
    }
}

/// The outputs of a head and their probabilities.
fn calibrated<'o>(outputs: &'o Outputs, dense: &Dense, head: Head) -> (&'o [f32], Vec<f32>) {
    let of_head = outputs.get(head.outputs()).unwrap_or_default();
    let number = |index: usize, other| dense.calibration.get(head as usize * 2 + index).copied().unwrap_or(other);
    (of_head, probabilities(of_head, number(0, 1.0), number(1, 0.0)))
}

fn flag(outputs: &Outputs, dense: &Dense, head: Head, threshold: f32) -> Flag {
    let (of_head, probabilities) = calibrated(outputs, dense, head);
    let probability = probabilities.first().copied().unwrap_or_default();
    Flag { value: probability >= threshold, probability, margin: of_head.first().copied().unwrap_or_default() }
}

fn choice<T: Copy>(outputs: &Outputs, dense: &Dense, head: Head, labels: &[T], default: T) -> Choice<T> {
    let (of_head, probabilities) = calibrated(outputs, dense, head);
    let (best, second) = best_two(of_head);
    let at = |index: usize| of_head.get(index).copied().unwrap_or_default();
    Choice {
        value: labels.get(best).copied().unwrap_or(default),
        probability: probabilities.get(best).copied().unwrap_or_default(),
        margin: at(best) - at(second),
    }
}

/// The places of the largest and the second largest output; the first of equals.
pub(super) fn best_two(outputs: &[f32]) -> (usize, usize) {
    let (mut best, mut second) = (0, usize::from(outputs.len() > 1));
    let at = |index: usize| outputs.get(index).copied().unwrap_or(f32::MIN);
    if at(second) > at(best) {
        (best, second) = (second, best);
    }
    for index in 2..outputs.len() {
        if at(index) > at(best) {
            (best, second) = (index, best);
        } else if at(index) > at(second) {
            second = index;
        }
    }
    (best, second)
}
