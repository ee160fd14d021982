//! Parses a `tsvector` in Postgres' binary format: the number of lexemes, then for each its bytes, a zero, the number
//! of positions, and the positions.

use kimberly_core::error::Result;

use super::{LAST_POSITION, LONGEST_LEXEME, MOST_POSITIONS};
use crate::corrupt;

/// The upper two bits of a position are its weight.
const POSITION_BITS: u16 = 0x3fff;

/// A lexeme of a memory.
pub(crate) struct Held<'v> {
    /// Its bytes.
    pub(crate) lexeme: &'v [u8],
    /// Its positions, two bytes each.
    positions: &'v [u8],
}

impl Held<'_> {
    /// Returns its positions in order.
    pub(crate) fn positions(&self) -> impl Iterator<Item = u16> {
        self.positions.chunks_exact(2).map(|position| u16::from_be_bytes([position[0], position[1]]) & POSITION_BITS)
    }

    /// Reports whether positions, or the end of the token, may be missing.
    pub(crate) fn is_cut(&self) -> bool {
        // A character of up to four bytes may have been cut off.
        if self.lexeme.len() + 4 > LONGEST_LEXEME {
            return true;
        }
        let count = self.positions.len() / 2;
        count == 0
            || count >= MOST_POSITIONS
            || self.positions().last().is_some_and(|position| usize::from(position) > LAST_POSITION)
    }
}

/// Passes every lexeme of a vector to `take`.
pub(super) fn read<'v>(vector: &'v [u8], mut take: impl FnMut(Held<'v>)) -> Result<()> {
    let bad = || corrupt("a full-text vector is not readable");
    let (count, mut rest) = vector.split_first_chunk().ok_or_else(bad)?;
    for _ in 0..u32::from_be_bytes(*count) {
        let end = rest.iter().position(|byte| *byte == 0).ok_or_else(bad)?;
        let (lexeme, behind) = rest.split_at_checked(end).ok_or_else(bad)?;
        let (positions, behind) = behind.get(1..).and_then(|rest| rest.split_first_chunk()).ok_or_else(bad)?;
        let (positions, behind) =
            behind.split_at_checked(2 * usize::from(u16::from_be_bytes(*positions))).ok_or_else(bad)?;
        take(Held { lexeme, positions });
        rest = behind;
    }
    Ok(())
}

/// For tests: a text's tokens in Postgres' binary format, with at most as many positions per lexeme as it stores.
#[cfg(test)]
pub(super) fn sent(tokens: &[String]) -> Vec<u8> {
    let mut positions: std::collections::BTreeMap<&str, Vec<u16>> = std::collections::BTreeMap::new();
    for (position, token) in (1..).zip(tokens) {
        positions.entry(token).or_default().push(position);
    }
    let mut out = u32::try_from(positions.len()).unwrap().to_be_bytes().to_vec();
    for (lexeme, mut positions) in positions {
        positions.truncate(MOST_POSITIONS);
        out.extend(lexeme.as_bytes());
        out.push(0);
        out.extend(u16::try_from(positions.len()).unwrap().to_be_bytes());
        out.extend(positions.into_iter().flat_map(u16::to_be_bytes));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lexeme, positions, and whether some may be missing.
    type Found = (Vec<u8>, Vec<u16>, bool);

    fn lexemes(vector: &[u8]) -> Result<Vec<Found>> {
        let mut found = Vec::new();
        read(vector, |held| found.push((held.lexeme.to_vec(), held.positions().collect(), held.is_cut())))?;
        Ok(found)
    }

    #[test]
    fn lexemes_and_positions_are_read_without_weights() {
        let vector = b"\0\0\0\x02ab\0\0\x02\0\x01\xc0\x05c\0\0\0";
        let expected = [(b"ab".to_vec(), vec![1, 5], false), (b"c".to_vec(), vec![], true)];
        assert_eq!(lexemes(vector).unwrap(), expected);
        assert_eq!(lexemes(&[0; 4]).unwrap(), []);
        assert!(lexemes(b"\0\0\0\x01a\0\0\x01\x3f\xff").unwrap()[0].2, "the last place stands for all behind it");
    }

    #[test]
    fn a_vector_that_ends_early_is_refused() {
        let vector = b"\0\0\0\x02ab\0\0\x02\0\x01\xc0\x05c\0\0\0";
        for end in 0..vector.len() {
            assert!(lexemes(&vector[..end]).is_err(), "{end}");
        }
    }
}
