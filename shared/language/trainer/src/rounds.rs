//! Whole rounds of training: cross-validation by conversation, and the final weights.

use kimberly_language::judge::OUTPUTS;
use kimberly_language::judge::model::{Found, look};
use kimberly_language::judge::weights::Weights;

use crate::calibrate::{calibration, thresholds};
use crate::corpus::Conversation;
use crate::drills::{is_drill, joined};
use crate::examples::Examples;
use crate::pack::pack;
use crate::split::{FOLDS, Part, parts};
use crate::{second, train};

/// Conversations with everything that training needs of them.
#[derive(Debug)]
pub struct Material {
    /// The conversations.
    pub conversations: Vec<Conversation>,
    /// The part of each.
    pub parts: Vec<Part>,
    /// Their sentences.
    pub examples: Examples,
}

/// What models say about sentences that they were not trained on.
#[derive(Debug)]
pub struct Crossed {
    /// The first looks.
    looks: Vec<[f32; OUTPUTS]>,
    /// The outputs after the second look.
    pub outputs: Vec<[f32; OUTPUTS]>,
}

impl Material {
    /// Prepares conversations.
    pub fn new(conversations: Vec<Conversation>) -> Self {
        let conversations = joined(conversations);
        Self { parts: parts(&conversations), examples: Examples::of(&conversations), conversations }
    }

    /// The sentences of conversations that are not set aside.
    pub fn trained(&self) -> Vec<usize> {
        self.examples.within(|number| self.parts[number] != Part::Aside)
    }

    /// The sentences of conversations that are set aside.
    pub fn aside(&self) -> Vec<usize> {
        self.examples.within(|number| self.parts[number] == Part::Aside)
    }

    /// Those of them that persons, documents and tools say.
    pub fn of_persons(&self, sentences: &[usize]) -> Vec<usize> {
        let counts = |index: &usize| !self.examples.all[*index].assistant;
        sentences.iter().copied().filter(counts).collect()
    }

    /// Those of them that are not of drills.
    pub fn of_conversations(&self, sentences: &[usize]) -> Vec<usize> {
        let counts = |index: &usize| !is_drill(&self.conversations[self.examples.all[*index].conversation].file);
        sentences.iter().copied().filter(counts).collect()
    }

    /// Trains on four fifths and looks at the fifth, five times. Trains on those conversations alone that count.
    pub fn cross(&self, counts: &[bool]) -> Crossed {
        let mut looks = vec![[0.0; OUTPUTS]; self.examples.all.len()];
        let fold = |fold| self.examples.within(|number| self.parts[number] == Part::Fold(fold));
        let others = |fold| self.examples.within(|number| self.others(number, fold) && counts[number]);
        for one in 0..FOLDS {
            let weights = pack(&train::train(&self.examples, &others(one)), &self.examples.hashes);
            self.look(&weights, &fold(one), &mut looks);
        }
        let views = second::all_views(&self.examples, &looks);
        let mut outputs = looks.clone();
        for one in 0..FOLDS {
            let weights = second::train(&self.examples, &others(one), &looks, &views);
            let all = second::apply(&weights, &looks, &views);
            for index in fold(one) {
                outputs[index] = all[index];
            }
        }
        Crossed { looks, outputs }
    }

    fn others(&self, number: usize, fold: usize) -> bool {
        !matches!(self.parts[number], Part::Aside) && self.parts[number] != Part::Fold(fold)
    }

    /// The first looks of packed weights at chosen sentences.
    fn look(&self, weights: &Weights, chosen: &[usize], looks: &mut [[f32; OUTPUTS]]) {
        for index in chosen {
            looks[*index] = self.examples.all[*index].scene(&self.conversations, |scene, sentence| {
                let mut found = Found::default();
                scene.features(sentence, &mut found);
                look(weights, &found)
            });
        }
    }

    /// The final weights: the first look from all that is not set aside, the rest from cross-validation.
    pub fn finish(&self, crossed: &Crossed) -> Weights {
        let trained = self.trained();
        let mut weights = pack(&train::train(&self.examples, &trained), &self.examples.hashes);
        let views = second::all_views(&self.examples, &crossed.looks);
        // Drills keep most of what they say: probabilities and thresholds are those of conversations.
        let persons = self.of_persons(&trained);
        let persons = self.of_conversations(&persons);
        let calibration = calibration(&self.examples, &persons, &crossed.outputs);
        weights.dense.second = second::train(&self.examples, &trained, &crossed.looks, &views);
        weights.dense.thresholds = thresholds(&self.examples, &persons, &crossed.outputs, &calibration);
        weights.dense.calibration = calibration;
        weights
    }

    /// What final weights say about chosen sentences.
    pub fn outputs(&self, weights: &Weights, chosen: &[usize]) -> Vec<[f32; OUTPUTS]> {
        let mut looks = vec![[0.0; OUTPUTS]; self.examples.all.len()];
        self.look(weights, chosen, &mut looks);
        second::apply(&weights.dense.second, &looks, &second::all_views(&self.examples, &looks))
    }
}
