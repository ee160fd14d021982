//! Sentences that state something about an entity.

use std::ops::Range;

use super::{Premise, premise};
use crate::memory::Memory;

/// A sentence of a record about an entity.
#[derive(Clone, Debug)]
pub(super) struct Stated<'m> {
    pub(super) memory: &'m Memory,
    pub(super) range: Range<usize>,
    pub(super) text: &'m str,
    /// Whether the entity itself is speaking.
    pub(super) speaks: bool,
    /// Whether the sentence is about what the entity does.
    pub(super) acts: bool,
}

impl Stated<'_> {
    pub(super) fn premise(&self) -> Option<Premise> {
        premise(self.memory.id, &self.range)
    }

    /// The day of the event.
    pub(super) fn day(&self) -> i64 {
        self.memory.occurred_at().day()
    }
}
