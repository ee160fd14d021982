//! Gathers the items of an import into pieces, and checks their order.

use kimberly_core::{Error, Result};
use kimberly_proto::v1;
use prost::Message as _;

/// Maximum number of items in a piece, which is stored in one transaction.
const ITEMS: usize = 250;
/// A piece is also full when it has this many bytes. Its last item may exceed that.
const BYTES: usize = 256 * 1024;

/// The gathered items.
#[derive(Debug)]
pub(super) struct Pieces {
    /// Number of items that were stored before this stream; they are skipped.
    done: u64,
    /// The index that must come next. `None` at first: any index up to `done` may come.
    expected: Option<u64>,
    piece: Piece,
    bytes: usize,
}

/// Items that are stored together.
#[derive(Debug, Default)]
pub(super) struct Piece {
    /// Index of the first item.
    pub(super) first: u64,
    pub(super) items: Vec<v1::ImportItem>,
}

impl Pieces {
    /// Starts empty, for an import of which `done` items are stored.
    pub(super) fn from(done: u64) -> Self {
        Self { done, expected: None, piece: Piece::default(), bytes: 0 }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.piece.items.is_empty()
    }

    pub(super) fn have_room(&self) -> bool {
        self.piece.items.len() < ITEMS && self.bytes < BYTES
    }

    /// Adds an item, or skips one that is stored already. Fails if its index is not the expected one.
    pub(super) fn add(&mut self, item: v1::ImportItem) -> Result<()> {
        let index = u64::try_from(item.index).ok();
        let index = index.filter(|index| self.expected.map_or(*index <= self.done, |expected| *index == expected));
        let Some(index) = index else { return Err(self.out_of_order(item.index)) };
        self.expected = Some(index + 1);
        if index < self.done {
            return Ok(());
        }
        if self.is_empty() {
            self.piece.first = index;
        }
        self.bytes += item.encoded_len();
        self.piece.items.push(item);
        Ok(())
    }

    fn out_of_order(&self, came: i64) -> Error {
        let wanted = match (self.expected, self.done) {
            (Some(expected), _) => format!("index {expected} was expected"),
            (None, 0) => "the first index must be 0".to_owned(),
            (None, done) => format!("the first index must be at most {done}, where the import continues"),
        };
        Error::out_of_order(format!("received item {came}, but {wanted}"))
    }

    /// Takes the gathered items, and starts over.
    pub(super) fn take(&mut self) -> Piece {
        self.bytes = 0;
        std::mem::take(&mut self.piece)
    }

    /// Drops the gathered items.
    pub(super) fn clear(&mut self) {
        drop(self.take());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(index: i64) -> v1::ImportItem {
        v1::ImportItem { index, ..Default::default() }
    }

    fn refused(pieces: &mut Pieces, index: i64) -> String {
        pieces.add(item(index)).unwrap_err().to_string()
    }

    #[test]
    fn items_below_the_point_of_resumption_are_passed_over() {
        let mut pieces = Pieces::from(3);
        for index in 1..6 {
            pieces.add(item(index)).unwrap();
        }
        let piece = pieces.take();
        assert_eq!((piece.first, piece.items.len()), (3, 3));
        pieces.add(item(6)).unwrap();
        assert_eq!(pieces.take().first, 6);
    }

    #[test]
    fn gaps_repeats_and_negative_indices_are_named_with_what_was_expected() {
        assert!(refused(&mut Pieces::from(0), 1).contains("the first index must be 0"));
        assert!(refused(&mut Pieces::from(3), 4).contains("the first index must be at most 3"));
        let mut pieces = Pieces::from(0);
        pieces.add(item(0)).unwrap();
        for wrong in [0, 2, -1, i64::MAX] {
            let said = refused(&mut pieces, wrong);
            assert!(said.contains(&wrong.to_string()) && said.contains("index 1 was expected"), "{said}");
        }
        pieces.add(item(1)).unwrap();
    }

    #[test]
    fn piece_is_full_by_items_or_by_bytes() {
        let mut pieces = Pieces::from(0);
        for index in (0..).take(ITEMS) {
            assert!(pieces.have_room());
            pieces.add(item(index)).unwrap();
        }
        assert!(!pieces.have_room());
        pieces.clear();
        assert!(pieces.have_room() && pieces.is_empty());
        let draft = v1::MemoryDraft { content: "x".repeat(BYTES), ..Default::default() };
        let memory = Some(v1::import_item::Memory::Draft(draft));
        let index = i64::try_from(ITEMS).unwrap();
        pieces.add(v1::ImportItem { index, memory }).unwrap();
        assert!(!pieces.have_room());
    }
}
