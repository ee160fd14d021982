//! A page that ends before it holds too many bytes.

/// What was read so far.
pub(crate) struct Page<T> {
    items: Vec<T>,
    left: u64,
}

impl<T> Page<T> {
    /// An empty one, for about so many bytes.
    pub(crate) fn new(max_bytes: usize) -> Self {
        Self { items: Vec::new(), left: max_bytes as u64 }
    }

    /// Adds an item of so many bytes, and says whether it did: it does not if the page would get too large, unless it is
    /// the first one.
    pub(crate) fn take(&mut self, item: T, bytes: u64) -> bool {
        if bytes > self.left && !self.items.is_empty() {
            return false;
        }
        self.left = self.left.saturating_sub(bytes);
        self.items.push(item);
        true
    }

    /// The items.
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
        assert_eq!(page.items(), ['a', 'b', 'c']);
    }
}
