//! Memories that were added since postings were read, gathered from their vectors.

use std::collections::HashMap;

use kimberly_core::error::Result;

use super::Postings;
use super::positions::{CUT, Positions};
use crate::corrupt;
use crate::postgres::text::vector;

/// A memory in the index.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Indexed {
    pub(super) seq: i64,
    pub(super) tokens: u64,
}

/// Newer memories to be merged into postings.
#[derive(Debug)]
pub(crate) struct Newer {
    /// Number of memories before these.
    before: usize,
    pub(super) memories: Vec<Indexed>,
    /// For each stem its positions, and the number of memories that contain it.
    pub(super) stems: HashMap<Box<str>, (Positions, u32)>,
}

impl Newer {
    /// Starts an empty list that follows the memories of `before`.
    pub(crate) fn behind(before: Option<&Postings>) -> Self {
        let before = before.map_or(0, |before| before.memories.len());
        Self { before, memories: Vec::new(), stems: HashMap::new() }
    }

    /// Adds the memory with the next number and its vector, in Postgres' binary format.
    ///
    /// # Errors
    ///
    /// [`StorageFailure::Corrupt`](kimberly_core::error::StorageFailure::Corrupt) if the vector is malformed.
    pub(crate) fn add(&mut self, seq: i64, tokens: u64, indexed: &[u8]) -> Result<()> {
        let index = u32::try_from(self.before + self.memories.len());
        let index = index.map_err(|_| corrupt("a vault has more memories than can be counted"))?;
        self.memories.push(Indexed { seq, tokens });
        let mut is_text = true;
        vector::read(indexed, |held| {
            let Ok(stem) = str::from_utf8(held.lexeme) else {
                is_text = false;
                return;
            };
            if let Some((positions, held_by)) = self.stems.get_mut(stem) {
                add_positions(positions, index, &held);
                *held_by += 1;
            } else {
                let mut positions = Positions::default();
                add_positions(&mut positions, index, &held);
                self.stems.insert(stem.into(), (positions, 1));
            }
        })?;
        if is_text { Ok(()) } else { Err(corrupt("a full-text vector contains invalid text")) }
    }
}

fn add_positions(positions: &mut Positions, memory: u32, held: &vector::Held<'_>) {
    if held.is_cut() {
        positions.push(memory, CUT);
    } else {
        held.positions().for_each(|token| positions.push(memory, token));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_that_are_none_are_refused() {
        assert!(Newer::behind(None).add(1, 1, b"\0\0\0\x01").is_err());
        assert!(Newer::behind(None).add(1, 1, b"\0\0\0\x01\xff\0\0\x01\0\x01").is_err(), "no text");
    }
}
