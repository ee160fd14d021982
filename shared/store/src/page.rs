//! Pages of memories, and pages limited by their size in bytes.

use kimberly_core::memory::ListOrder;
use kimberly_core::ports::ListKey;

/// Order, start and limits of a page.
pub(crate) struct Listing {
    pub(crate) order: ListOrder,
    pub(crate) after: Option<ListKey>,
    pub(crate) limit: usize,
    pub(crate) max_bytes: usize,
}

impl Listing {
    /// Returns the comparison that selects what follows the start, and the direction for ORDER BY.
    pub(crate) fn order_sql(&self) -> (char, &'static str) {
        match self.order {
            ListOrder::NewestFirst => ('<', "DESC"),
            ListOrder::OldestFirst => ('>', "ASC"),
        }
    }
}

/// A page in progress.
pub(crate) struct Page<T> {
    items: Vec<T>,
    left: u64,
    /// Whether an item did not fit.
    full: bool,
}

impl<T> Page<T> {
    /// An empty page for about `max_bytes` bytes.
    pub(crate) fn new(max_bytes: usize) -> Self {
        Self { items: Vec::new(), left: max_bytes as u64, full: false }
    }

    /// Adds an item unless the page would get too large, and reports whether it did. The first item always fits.
    pub(crate) fn take(&mut self, item: T, bytes: u64) -> bool {
        if bytes > self.left && !self.items.is_empty() {
            self.full = true;
            return false;
        }
        self.left = self.left.saturating_sub(bytes);
        self.items.push(item);
        true
    }

    /// Reports whether it has fewer items than `most`, although others would fit.
    pub(crate) fn is_short(&self, most: usize) -> bool {
        !self.full && self.items.len() < most
    }

    /// Returns the items.
    pub(crate) fn items(self) -> Vec<T> {
        self.items
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_holds_what_fits_and_at_least_one() {
        let mut page = Page::new(10);
        assert!(page.take('a', 20));
        assert!(!page.take('b', 1));
        assert_eq!(page.items(), ['a']);
        let mut page = Page::new(10);
        assert!(page.take('a', 4) && page.take('b', 6) && page.take('c', 0) && !page.take('d', 1));
        assert!(!page.is_short(9));
        assert_eq!(page.items(), ['a', 'b', 'c']);
        let mut page = Page::new(10);
        assert!(page.take('a', 4) && page.is_short(2) && !page.is_short(1));
    }
}
