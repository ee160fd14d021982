//! Walks both trees of a data file and checks that every page exists, is valid and is used only once.

use std::cmp::Ordering;

use super::content::Content;
use super::file::DataFile;
use super::page::{self, HEADER, Kind, Meta, NO_PAGE, PAGE, Tree, TreePage, Value};

/// Maximum depth of a tree in LMDB.
const MAX_DEPTH: u16 = 32;

/// One pass over a file.
pub(super) struct Walk<'a> {
    file: &'a DataFile,
    meta: &'a Meta,
    /// Visited pages, as a bit set.
    seen: Vec<u64>,
    entries: u64,
    /// The last key, and the lower bound of the next: branches bound the keys below them.
    last: Option<Vec<u8>>,
    least: Vec<u8>,
    large: Vec<u8>,
}

/// The tree being walked.
#[derive(Clone, Copy)]
enum Which {
    Free,
    Main,
}

impl Which {
    /// The order of its keys.
    fn order(self, a: &[u8], b: &[u8]) -> Ordering {
        let number = |key: &[u8]| key.first_chunk().map_or(0, |key| u64::from_le_bytes(*key));
        match self {
            Self::Free => number(a).cmp(&number(b)),
            Self::Main => a.cmp(b),
        }
    }
}

impl<'a> Walk<'a> {
    pub(super) fn new(file: &'a DataFile, meta: &'a Meta) -> Self {
        Self { file, meta, seen: Vec::new(), entries: 0, last: None, least: Vec::new(), large: Vec::new() }
    }

    /// Checks all pages, and passes the entries of the main tree to `content` in order of keys.
    pub(super) fn run(&mut self, content: &mut Content) -> Result<(), String> {
        self.see(0, 2)?;
        self.tree(Which::Main, self.meta.main, content)?;
        self.tree(Which::Free, self.meta.free, content)
    }

    fn tree(&mut self, which: Which, tree: Tree, content: &mut Content) -> Result<(), String> {
        (self.entries, self.last, self.least) = (0, None, Vec::new());
        if tree.root == NO_PAGE {
            return if tree.entries == 0 { Ok(()) } else { Err("is damaged: a tree has no root".to_owned()) };
        }
        if tree.depth == 0 || tree.depth > MAX_DEPTH {
            return Err("is damaged: a tree has an impossible depth".to_owned());
        }
        self.page(which, tree.root, tree.depth, content)?;
        if self.entries == tree.entries { Ok(()) } else { Err("is damaged: a tree lacks entries".to_owned()) }
    }

    fn page(&mut self, which: Which, number: u64, depth: u16, content: &mut Content) -> Result<(), String> {
        self.see(number, 1)?;
        let mut bytes = [0; PAGE];
        self.file.read(number, &mut bytes)?;
        let tree_page = TreePage::parse(number, &bytes)?;
        if matches!(tree_page.kind, Kind::Leaf) != (depth == 1) || tree_page.nodes() == 0 {
            return Err("is damaged: a page is in the wrong position".to_owned());
        }
        for index in 0..tree_page.nodes() {
            let node = tree_page.node(index).ok_or_else(|| format!("is damaged: page {number} has a broken entry"))?;
            match node.value {
                Value::Page(below) => {
                    // The first key of a branch is unused.
                    if index > 0 {
                        self.in_order(which, node.key)?;
                        node.key.clone_into(&mut self.least);
                    }
                    self.page(which, below, depth - 1, content)?;
                }
                Value::Inline(value) => self.entry(which, node.key, value, content)?,
                Value::Overflow { page, bytes } => {
                    let large = self.overflow(page, bytes)?;
                    let result = self.entry(which, node.key, &large[HEADER..HEADER + bytes], content);
                    self.large = large;
                    result?;
                }
            }
        }
        Ok(())
    }

    /// Reads the pages of a large value.
    fn overflow(&mut self, number: u64, bytes: usize) -> Result<Vec<u8>, String> {
        let pages = page::overflow_pages(bytes);
        let inside = number.checked_add(pages as u64).is_some_and(|end| end <= self.meta.last_page.saturating_add(1));
        if !inside {
            return Err(format!("is damaged: page {number} is beyond the last one"));
        }
        let mut large = std::mem::take(&mut self.large);
        large.resize(pages * PAGE, 0);
        self.file.read(number, &mut large)?;
        match page::overflow_count(number, &large) {
            Some(count) if count >= pages as u64 => self.see(number, count).map(|()| large),
            _ => Err(format!("is damaged: page {number} does not begin a value of {bytes} bytes")),
        }
    }

    fn entry(&mut self, which: Which, key: &[u8], value: &[u8], content: &mut Content) -> Result<(), String> {
        self.entries += 1;
        self.in_order(which, key)?;
        if which.order(key, &self.least).is_lt() {
            return Err("is damaged: a key is in the wrong position".to_owned());
        }
        key.clone_into(self.last.get_or_insert_default());
        match which {
            Which::Main => content.entry(key, value),
            Which::Free => self.free_pages(key, value),
        }
    }

    fn in_order(&self, which: Which, key: &[u8]) -> Result<(), String> {
        match &self.last {
            Some(last) if which.order(last, key).is_ge() => Err("is damaged: its keys are out of order".to_owned()),
            _ => Ok(()),
        }
    }

    /// Checks a list of free pages: none of them may be in use.
    fn free_pages(&mut self, key: &[u8], value: &[u8]) -> Result<(), String> {
        let damaged = || "is damaged: its list of free pages is broken".to_owned();
        let mut numbers = value.chunks_exact(8).map(|bytes| bytes.first_chunk().map_or(0, |b| u64::from_le_bytes(*b)));
        let count = numbers.next().ok_or_else(damaged)?;
        let mut left = count;
        for number in numbers.take(usize::try_from(count).unwrap_or(usize::MAX)) {
            left -= 1;
            self.see(number, 1).map_err(|_| damaged())?;
        }
        if left == 0 && key.len() == 8 { Ok(()) } else { Err(damaged()) }
    }

    /// Marks pages as used; an error if one is outside the file or used twice.
    fn see(&mut self, first: u64, pages: u64) -> Result<(), String> {
        let end = first.checked_add(pages).filter(|end| *end <= self.meta.last_page.saturating_add(1));
        let Some(end) = end else {
            return Err(format!("is damaged: page {first} is beyond the last one"));
        };
        for number in first..end {
            let (word, bit) = (usize::try_from(number / 64).unwrap_or(usize::MAX), 1 << (number % 64));
            if word >= self.seen.len() {
                self.seen.resize(word + 1, 0);
            }
            if self.seen[word] & bit != 0 {
                return Err(format!("is damaged: page {number} is used twice"));
            }
            self.seen[word] |= bit;
        }
        Ok(())
    }
}
