//! A conclusion and its premises.

use std::collections::BTreeSet;
use std::ops::Range;

use super::Rule;
use crate::ids::{EntityId, MemoryId};
use crate::time::Timestamp;

/// A premise of a conclusion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Premise {
    /// The record.
    pub memory: MemoryId,
    /// The bytes of its content that state it.
    pub span: Range<u32>,
}

/// A conclusion.
#[derive(Clone, Debug, PartialEq)]
pub struct Conclusion {
    /// The rule that drew it.
    pub rule: Rule,
    /// The entity it is about.
    pub about: EntityId,
    /// The name of that entity.
    pub subject: String,
    /// The text, in the words of its premises.
    pub text: String,
    /// Confidence of the conclusion.
    pub confidence: f64,
    /// The premises, ordered by id.
    pub premises: Vec<Premise>,
    /// When all premises begin to hold.
    pub valid_from: Option<Timestamp>,
    /// When the first premise ceases to hold.
    pub valid_to: Option<Timestamp>,
}

impl Conclusion {
    /// The records it depends on.
    pub fn rests_on(&self) -> BTreeSet<MemoryId> {
        self.premises.iter().map(|premise| premise.memory).collect()
    }
}
