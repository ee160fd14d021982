//! Positions of stems in memories.

use std::ops::Range;

/// Marks incompletely known positions of a stem in a memory; real positions start at 1.
pub(super) const CUT: u16 = 0;

/// Positions of a stem in order: for each the index of the memory, and the position of the token.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Positions {
    memories: Vec<u32>,
    tokens: Vec<u16>,
}

impl Positions {
    pub(super) fn push(&mut self, memory: u32, token: u16) {
        self.memories.push(memory);
        self.tokens.push(token);
    }

    pub(super) fn extend(&mut self, from: &Self, range: Range<usize>) {
        self.memories.extend(from.memories.get(range.clone()).unwrap_or_default());
        self.tokens.extend(from.tokens.get(range).unwrap_or_default());
    }

    pub(super) fn len(&self) -> usize {
        self.memories.len()
    }

    pub(super) fn all(&self, range: Range<usize>) -> impl Iterator<Item = (u32, u16)> {
        let (memories, tokens) = (self.memories.get(range.clone()), self.tokens.get(range));
        memories.into_iter().flatten().copied().zip(tokens.into_iter().flatten().copied())
    }

    /// Returns the bytes that the positions take, without spare capacity.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.memories) + size_of_val(&*self.tokens)
    }

    pub(super) fn shrink_to_fit(&mut self) {
        self.memories.shrink_to_fit();
        self.tokens.shrink_to_fit();
    }
}
