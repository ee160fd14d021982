//! A trained judge of sentences: is this worth keeping, what is it, whose is it, is it so, what does it fill?
//!
//! It reads one message with what was said before. It neither cuts sentences nor decides what is stored. What it knows
//! stands in `weights.bin`, made by `trainer` from `corpus`.

mod explain;
pub mod features;
mod labels;
pub mod layout;
pub mod model;
mod pieces;
pub mod shapes;
pub mod tokens;
mod verdict;
pub mod weights;

use std::ops::Range;
use std::sync::LazyLock;

pub use explain::Reason;
pub use labels::{Head, Kind, OUTPUTS, Owner, Polarity, Slot};
pub use verdict::{Certainty, Choice, Flag, Keep, Verdict};

use features::Scene;
use model::{Found, Outputs};
use weights::{Weights, WeightsError};

/// Who sends a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A person.
    User,
    /// A language model.
    Assistant,
    /// A program that a model called.
    Tool,
    /// A document.
    Document,
}

impl Role {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::User, Self::Assistant, Self::Tool, Self::Document];

    /// The name in the corpus.
    pub const fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
            Self::Document => "document",
        }
    }
}

/// A message of a conversation.
#[derive(Clone, Copy, Debug)]
pub struct Message<'m> {
    /// Who sends it.
    pub role: Role,
    /// The name of the person, where there are several.
    pub speaker: Option<&'m str>,
    /// What it says.
    pub text: &'m str,
}

/// A judge with its weights.
#[derive(Clone, Debug)]
pub struct Judge {
    weights: Weights,
}

static TRAINED: LazyLock<Result<Judge, WeightsError>> =
    LazyLock::new(|| Weights::from_bytes(include_bytes!("weights.bin")).map(Judge::new));

impl Judge {
    /// The judge with the weights of the tree.
    pub fn trained() -> Result<&'static Self, WeightsError> {
        TRAINED.as_ref().map_err(|error| *error)
    }

    /// A judge with other weights.
    pub const fn new(weights: Weights) -> Self {
        Self { weights }
    }

    /// What its weights are and what they were made from.
    pub const fn weights(&self) -> &Weights {
        &self.weights
    }

    /// Judges each span of a message. Spans are byte ranges in the order of the text that begin and end between
    /// characters; a span that does not is read as empty.
    pub fn read(&self, before: &[Message<'_>], message: &Message<'_>, spans: &[Range<usize>]) -> Vec<Verdict> {
        let scene = Scene::new(before, message, spans);
        let outputs = self.second(&scene, self.first(&scene, spans.len()));
        outputs.iter().map(|outputs| Verdict::of(outputs, &self.weights.dense)).collect()
    }

    /// The three features that speak most for what the judge says about each span to one question.
    pub fn explain(
        &self,
        before: &[Message<'_>],
        message: &Message<'_>,
        spans: &[Range<usize>],
        head: Head,
    ) -> Vec<Vec<Reason>> {
        let scene = Scene::new(before, message, spans);
        let looks = self.first(&scene, spans.len());
        let after = self.second(&scene, looks.clone());
        let both = looks.iter().zip(&after).enumerate();
        both.map(|(index, (look, after))| explain::reasons(&self.weights, &scene, index, head, look, after)).collect()
    }

    /// The first look at each sentence.
    fn first(&self, scene: &Scene<'_>, count: usize) -> Vec<Outputs> {
        let mut found = Found::default();
        let looks = (0..count).map(|index| {
            found.clear();
            scene.features(index, &mut found);
            model::look(&self.weights, &found)
        });
        looks.collect()
    }

    /// The second look, at all of them together.
    fn second(&self, scene: &Scene<'_>, mut outputs: Vec<Outputs>) -> Vec<Outputs> {
        let views = model::views(&outputs, scene.spots());
        for (outputs, view) in outputs.iter_mut().zip(&views) {
            model::second_look(&self.weights.dense.second, view, outputs);
        }
        outputs
    }
}
