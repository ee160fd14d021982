//! Caches the texts of a vault, so that a search for a piece of text reads no pages.

use std::sync::Arc;

use kimberly_core::error::Result;
use memchr::memmem;

use crate::cache::{CacheEntry, CacheLookup, Stamp, VaultCache};

/// Ends each text: no content contains it, so that no match reaches into the next text.
const END: char = '\0';

/// The texts of all memories that are not sealed, as of a stamp.
#[derive(Clone, Debug, Default)]
pub(crate) struct Texts {
    stamp: Stamp,
    /// All texts, English letters in lower case, as `LIKE` compares.
    text: String,
    /// Numbers of the memories, and the ends of their texts, in order.
    ends: Vec<(i64, usize)>,
}

impl Texts {
    /// Returns the texts for a snapshot, loading those of memories with a number above the argument of `load` if they
    /// are missing. `None` if there are no texts for this snapshot: the caller uses SQL.
    pub(crate) async fn at<F>(
        cache: &VaultCache<Self>,
        stamp: Stamp,
        load: impl FnOnce(i64) -> F,
    ) -> Result<Option<Arc<Self>>>
    where
        F: Future<Output = Result<Vec<(i64, String)>>>,
    {
        let (mut texts, newer) = match cache.at(stamp) {
            CacheLookup::Fresh(texts) => return Ok(Some(texts)),
            CacheLookup::Unfit => return Ok(None),
            CacheLookup::Older(texts) => (Self::clone(&texts), load(texts.stamp.created).await?),
            CacheLookup::Nothing => (Self::default(), load(0).await?),
        };
        texts.stamp = stamp;
        for (seq, text) in &newer {
            texts.add(*seq, text);
        }
        let texts = Arc::new(texts);
        cache.put(&texts);
        Ok(Some(texts))
    }

    fn add(&mut self, seq: i64, text: &str) {
        self.text.push_str(&text.to_ascii_lowercase());
        self.text.push(END);
        self.ends.push((seq, self.text.len()));
    }

    /// Returns the numbers of the memories that contain `part`, in order.
    pub(crate) fn holding(&self, part: &str) -> Vec<i64> {
        let part = part.to_ascii_lowercase();
        let finder = memmem::Finder::new(&part);
        let (mut found, mut from) = (Vec::new(), 0);
        while let Some(at) = self.text.as_bytes().get(from..).and_then(|rest| finder.find(rest)) {
            let holding = self.ends.partition_point(|(_, end)| *end <= from + at);
            let Some((seq, end)) = self.ends.get(holding) else { break };
            found.push(*seq);
            from = *end;
        }
        found
    }
}

impl CacheEntry for Texts {
    fn stamp(&self) -> Stamp {
        self.stamp
    }

    fn bytes(&self) -> usize {
        self.text.len() + size_of_val(&*self.ends)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cache::Budget;

    fn stamp(created: i64, changes: i64) -> Stamp {
        Stamp { created, changes, items: 3 }
    }

    async fn loaded(cache: &VaultCache<Texts>, stamp: Stamp, expected: i64, texts: &[(i64, &str)]) -> Arc<Texts> {
        let texts = texts.iter().map(|(seq, text)| (*seq, (*text).to_owned())).collect();
        let load = |last| {
            assert_eq!(last, expected);
            async { Ok(texts) }
        };
        Texts::at(cache, stamp, load).await.unwrap().unwrap()
    }

    #[tokio::test]
    async fn parts_are_found_within_texts_in_either_case_and_never_across_two() {
        let cache = VaultCache::new(Arc::new(Budget::new(1_000)));
        let texts =
            loaded(&cache, stamp(3, 0), 0, &[(1, "Overrunning"), (2, "übermut, runningRUNNING"), (5, "go")]).await;
        assert_eq!(texts.holding("Running"), [1, 2]);
        assert_eq!(texts.holding("mut"), [2]);
        assert_eq!(texts.holding("Übermut"), [0_i64; 0]);
        assert_eq!(texts.holding("o"), [1, 5]);
        assert!(texts.holding("gü").is_empty() && texts.holding("runninggo").is_empty());
    }

    #[tokio::test]
    async fn only_new_texts_are_loaded_and_all_of_them_after_a_change() {
        let cache = VaultCache::new(Arc::new(Budget::new(1_000)));
        loaded(&cache, stamp(1, 0), 0, &[(1, "heron")]).await;
        assert_eq!(loaded(&cache, stamp(2, 0), 1, &[(2, "herons")]).await.holding("heron"), [1, 2]);
        assert_eq!(loaded(&cache, stamp(2, 1), 0, &[(2, "herons")]).await.holding("heron"), [2]);
    }
}
