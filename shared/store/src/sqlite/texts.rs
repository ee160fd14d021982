//! Caches the texts of a vault, so that a search for a piece of text reads no pages.

use std::sync::Arc;

use memchr::memmem;

use crate::cache::{CacheEntry, Loading, Stamp, VaultCache};

/// Ends each text: no content contains it, so that no match reaches into the next text.
const END: char = '\0';

/// Bytes from which a block takes no more texts. Texts that only lack new memories are extended by copying the last block.
const BLOCK: usize = 256 * 1024;

/// The texts of all memories that are not sealed, as of a stamp.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Texts {
    stamp: Stamp,
    /// In order of number.
    blocks: Vec<Arc<Block>>,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Block {
    /// The texts, English letters in lower case, as `LIKE` compares.
    text: String,
    /// Numbers of the memories, and the ends of their texts, in order.
    ends: Vec<(i64, usize)>,
}

/// Texts that a reader loads row by row, within the budget.
pub(crate) struct Filling<'c> {
    loading: Loading<'c, Texts>,
    texts: Texts,
    /// The block that takes the next text.
    last: Block,
    /// Bytes of the texts that are not in the cache yet.
    added: usize,
    /// Memories with higher numbers are missing.
    beyond: i64,
    fits: bool,
}

impl Texts {
    /// Begins to load all texts of a snapshot, of about so many bytes. `None` if another reader loads them, or if they do
    /// not fit the budget.
    pub(crate) fn load(cache: &VaultCache<Self>, stamp: Stamp, bytes: usize) -> Option<Filling<'_>> {
        let texts = Self { stamp, blocks: Vec::new() };
        Some(Filling::new(cache.begin(bytes)?, texts, 0))
    }

    /// Begins to load those texts of a snapshot that these lack, under the same conditions.
    pub(crate) fn extend<'c>(&self, cache: &'c VaultCache<Self>, stamp: Stamp) -> Option<Filling<'c>> {
        Some(Filling::new(cache.begin(0)?, Self { stamp, ..self.clone() }, self.stamp.created))
    }

    /// Returns the numbers of the memories that contain `part`, in order.
    pub(crate) fn holding(&self, part: &str) -> Vec<i64> {
        let part = part.to_ascii_lowercase();
        let finder = memmem::Finder::new(&part);
        self.blocks.iter().flat_map(|block| block.holding(&finder)).collect()
    }
}

impl Block {
    fn add(&mut self, seq: i64, text: &str) {
        let from = self.text.len();
        self.text.push_str(text);
        self.text[from..].make_ascii_lowercase();
        self.text.push(END);
        self.ends.push((seq, self.text.len()));
    }

    fn holding(&self, part: &memmem::Finder<'_>) -> Vec<i64> {
        let (mut found, mut from) = (Vec::new(), 0);
        while let Some(at) = self.text.as_bytes().get(from..).and_then(|rest| part.find(rest)) {
            let holding = self.ends.partition_point(|(_, end)| *end <= from + at);
            let Some((seq, end)) = self.ends.get(holding) else { break };
            found.push(*seq);
            from = *end;
        }
        found
    }

    fn bytes(&self) -> usize {
        self.text.capacity() + self.ends.capacity() * size_of::<(i64, usize)>()
    }
}

impl<'c> Filling<'c> {
    fn new(loading: Loading<'c, Texts>, mut texts: Texts, beyond: i64) -> Self {
        let last = texts.blocks.pop_if(|last| last.text.len() < BLOCK).map(Arc::unwrap_or_clone).unwrap_or_default();
        Self { loading, texts, last, added: 0, beyond, fits: true }
    }

    /// Memories with higher numbers are missing.
    pub(crate) fn beyond(&self) -> i64 {
        self.beyond
    }

    /// Adds the text of the next memory in order of number; returns `false` if the budget has no room for it.
    pub(crate) fn add(&mut self, seq: i64, text: &str) -> bool {
        self.added += text.len() + END.len_utf8() + size_of::<(i64, usize)>();
        self.fits = self.loading.fits(self.added);
        if self.fits {
            self.last.add(seq, text);
            if self.last.text.len() >= BLOCK {
                self.close_block();
            }
        }
        self.fits
    }

    fn close_block(&mut self) {
        let mut last = std::mem::take(&mut self.last);
        last.text.shrink_to_fit();
        last.ends.shrink_to_fit();
        self.texts.blocks.push(Arc::new(last));
    }

    /// Caches the texts and returns them; `None` if they did not fit.
    pub(crate) fn whole(mut self) -> Option<Arc<Texts>> {
        if !self.fits {
            return None;
        }
        if !self.last.ends.is_empty() {
            self.close_block();
        }
        let texts = Arc::new(self.texts);
        self.loading.put(&texts);
        Some(texts)
    }
}

impl CacheEntry for Texts {
    fn stamp(&self) -> Stamp {
        self.stamp
    }

    fn bytes(&self) -> usize {
        self.blocks.iter().map(|block| block.bytes()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cache::{Budget, CacheLookup};

    fn stamp(created: i64, changes: i64) -> Stamp {
        Stamp { created, changes, items: 3 }
    }

    fn cache(budget: usize) -> VaultCache<Texts> {
        VaultCache::new(Arc::new(Budget::new(budget)))
    }

    fn filled(mut filling: Filling<'_>, texts: &[(i64, &str)]) -> Option<Arc<Texts>> {
        let _fit = texts.iter().all(|(seq, text)| filling.add(*seq, text));
        filling.whole()
    }

    fn loaded(cache: &VaultCache<Texts>, texts: &[(i64, &str)]) -> Arc<Texts> {
        filled(Texts::load(cache, stamp(1, 0), 0).unwrap(), texts).unwrap()
    }

    #[test]
    fn parts_are_found_within_texts_in_either_case_and_never_across_two() {
        let texts = loaded(&cache(1_000), &[(1, "Overrunning"), (2, "übermut, runningRUNNING"), (5, "go")]);
        assert_eq!(texts.holding("Running"), [1, 2]);
        assert_eq!(texts.holding("mut"), [2]);
        assert_eq!(texts.holding("Übermut"), [0_i64; 0]);
        assert_eq!(texts.holding("o"), [1, 5]);
        assert!(texts.holding("gü").is_empty() && texts.holding("runninggo").is_empty());
    }

    #[test]
    fn texts_are_extended_in_their_last_block_and_all_are_found() {
        let (cache, long) = (cache(10 << 20), "heron ".repeat(BLOCK / 6));
        let mut texts = loaded(&cache, &[(1, &long), (2, "one heron")]);
        for created in 2..9 {
            let filling = texts.extend(&cache, stamp(created, 0)).unwrap();
            assert_eq!(filling.beyond(), created - 1);
            texts = filled(filling, &[(created + 1, "more herons")]).unwrap();
            assert_eq!(cache.at(stamp(created, 0)), CacheLookup::Fresh(Arc::clone(&texts)));
        }
        assert_eq!(texts.holding("heron"), [1, 2, 3, 4, 5, 6, 7, 8, 9]);
        assert_eq!(texts.holding("one heron"), [2]);
        assert_eq!(texts.blocks.len(), 2, "a block takes texts until it is full");
    }

    #[test]
    fn one_reader_loads_and_stops_where_the_budget_ends() {
        let cache = cache(1_000);
        assert!(Texts::load(&cache, stamp(1, 0), 1_001).is_none(), "the counters say that they do not fit");
        assert!(!cache.is_promising());
        let mut one = Texts::load(&cache, stamp(1, 0), 100).unwrap();
        assert!(Texts::load(&cache, stamp(1, 0), 100).is_none(), "another reader loads");
        assert!(one.add(1, &"x".repeat(500)) && !one.add(2, &"x".repeat(500)));
        assert!(one.whole().is_none());
        assert!(Texts::load(&cache, stamp(1, 0), 1_000).is_some(), "nothing is taken any more");
    }

    #[test]
    fn texts_of_a_snapshot_from_before_an_erasure_are_not_cached_after_it() {
        let cache = cache(1_000);
        loaded(&cache, &[(1, "erased")]);
        let filling = cache.look().unwrap().extend(&cache, stamp(2, 0)).unwrap();
        cache.forget_before(1);
        assert!(cache.look().is_none());
        assert!(filled(filling, &[(2, "stays")]).is_some(), "the reader itself uses them");
        assert!(cache.look().is_none());
        assert!(filled(Texts::load(&cache, stamp(2, 1), 1_000).unwrap(), &[(2, "stays")]).is_some());
        assert!(cache.look().is_some(), "all of the budget is free again");
    }
}
