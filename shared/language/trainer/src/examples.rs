//! Sentences as the trainer sees them: numbers of features, and what each head should say.

use std::collections::HashMap;
use std::ops::Range;

use kimberly_language::judge::features::{Group, Scene};
use kimberly_language::judge::layout::Spot;
use kimberly_language::judge::model::Found;
use kimberly_language::judge::weights::factor;
use kimberly_language::judge::{Head, Message, Owner, Polarity, Role};

use crate::corpus::{Conversation, Sentence, Turn};
use crate::label::Label;

/// A sentence.
#[derive(Clone, Debug, Default)]
pub struct Example {
    /// The number of its conversation.
    pub conversation: usize,
    /// The number of its turn in it.
    pub turn: usize,
    /// Its number in the turn.
    pub sentence: usize,
    /// Its features with their factors.
    pub features: Vec<(u32, f32, Group)>,
    /// What each head should say: the number of the label; none where it does not matter.
    pub targets: [Option<usize>; Head::ALL.len()],
    /// Whether an assistant says it, which is left out of all measures.
    pub assistant: bool,
}

/// All sentences of some conversations.
#[derive(Clone, Debug, Default)]
pub struct Examples {
    /// The sentences in order.
    pub all: Vec<Example>,
    /// The sentences of each message with their places.
    pub messages: Vec<(Range<usize>, Vec<Spot>)>,
    /// The features by number.
    pub hashes: Vec<u64>,
}

impl Examples {
    /// Reads conversations.
    pub fn of(conversations: &[Conversation]) -> Self {
        let mut examples = Self::default();
        let mut numbers = HashMap::new();
        for (number, conversation) in conversations.iter().enumerate() {
            let messages: Vec<Message<'_>> = conversation.turns.iter().map(Turn::message).collect();
            for (at, turn) in conversation.turns.iter().enumerate() {
                let spans: Vec<Range<usize>> = turn.sentences.iter().map(|one| one.span.clone()).collect();
                let scene = Scene::new(&messages[..at], &messages[at], &spans);
                let first = examples.all.len();
                for (index, sentence) in turn.sentences.iter().enumerate() {
                    let mut found = Found::default();
                    scene.features(index, &mut found);
                    examples.all.push(Example {
                        conversation: number,
                        turn: at,
                        sentence: index,
                        features: numbered(&found, &mut numbers, &mut examples.hashes),
                        targets: targets(sentence, turn.role),
                        assistant: turn.role == Role::Assistant,
                    });
                }
                examples.messages.push((first..examples.all.len(), scene.spots().to_vec()));
            }
        }
        examples
    }

    /// The numbers of the sentences of chosen conversations.
    pub fn within(&self, chosen: impl Fn(usize) -> bool) -> Vec<usize> {
        (0..self.all.len()).filter(|index| chosen(self.all[*index].conversation)).collect()
    }
}

impl Example {
    /// Reads the message of the sentence, and hands over the number of the sentence in it.
    pub fn scene<T>(&self, conversations: &[Conversation], read: impl FnOnce(&Scene<'_>, usize) -> T) -> T {
        let turns = &conversations[self.conversation].turns;
        let messages: Vec<Message<'_>> = turns.iter().map(Turn::message).collect();
        let spans: Vec<Range<usize>> = turns[self.turn].sentences.iter().map(|one| one.span.clone()).collect();
        read(&Scene::new(&messages[..self.turn], &messages[self.turn], &spans), self.sentence)
    }
}

fn numbered(found: &Found, numbers: &mut HashMap<u64, u32>, hashes: &mut Vec<u64>) -> Vec<(u32, f32, Group)> {
    let mut features: Vec<(u32, f32, Group)> = Vec::new();
    for (group, list) in found.each() {
        let factor = factor(group, list.len());
        for hash in list {
            let next = u32::try_from(hashes.len()).unwrap_or(u32::MAX);
            let number = *numbers.entry(*hash).or_insert_with(|| {
                hashes.push(*hash);
                next
            });
            features.push((number, factor, group));
        }
    }
    // A feature that is there twice counts twice.
    features.sort_by_key(|(number, ..)| *number);
    features.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        kept.1 += if same { next.1 } else { 0.0 };
        same
    });
    debug_assert_eq!(Group::COUNT, found.groups.len());
    features
}

/// What each head should say about a sentence.
fn targets(sentence: &Sentence, role: Role) -> [Option<usize>; Head::ALL.len()] {
    let label = &sentence.label;
    let person = role != Role::Assistant;
    Head::ALL.map(|head| match head {
        Head::Keep => Some(usize::from(label.kept())),
        Head::Momentary if label.kept() || label.now => Some(usize::from(label.now)),
        Head::Momentary => (label.left == Some("mood")).then_some(1),
        Head::Sensitive => person.then_some(usize::from(label.sensitive)),
        Head::Kind => label.kind.map(|kind| kind as usize),
        Head::Owner => owner(label).filter(|_| person).map(|owner| owner as usize),
        Head::Polarity if label.kept() || label.slot.is_some() || label.polarity.is_some() => {
            Some(label.polarity.unwrap_or(Polarity::Holds) as usize)
        }
        Head::Polarity => None,
        Head::Slot => person.then_some(label.slot.map_or(0, |slot| slot as usize + 1)),
    })
}

/// The owner, where it matters: not of greetings, and not of what is true of the world.
fn owner(label: &Label) -> Option<Owner> {
    match (label.owner, label.left) {
        (Some(owner), _) => Some(owner),
        (None, Some("question")) => Some(Owner::Question),
        (None, Some("task")) => Some(Owner::Task),
        (None, None | Some("mood")) => Some(Owner::Me),
        (None, Some(_)) => None,
    }
}
