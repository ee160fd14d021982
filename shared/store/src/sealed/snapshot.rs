//! The words of sealed memories for a snapshot: cached, extended by new memories, or rebuilt.

use std::sync::Arc;

use kimberly_core::error::Result;
use kimberly_core::ids::MemoryId;
use kimberly_core::memory::with_texts;

use super::{CiphertextId, Seals, Words};
use crate::cache::Stamp;
use crate::rows::opened;
use crate::tables::memories::{CONTENT, TEXTS};

/// Returns the searchable text of a sealed memory: its content and the texts of its detail, opened.
pub(crate) fn searched(
    seals: Option<&Seals>,
    id: MemoryId,
    (content, texts): (&[u8], Option<&[u8]>),
) -> Result<String> {
    let texts = texts.map(|texts| opened(seals, id, TEXTS, texts)).transpose()?;
    Ok(with_texts(opened(seals, id, CONTENT, content)?, texts))
}

/// The cached data for a snapshot.
pub(crate) enum Snapshot {
    /// All words of the snapshot.
    Known(Arc<Words>),
    /// Words that lack memories, which the caller must read.
    Lacking(Lacking),
}

/// Words that lack the memories with numbers above `last`.
pub(crate) struct Lacking {
    words: Words,
    last: i64,
    /// Words analysed earlier, whose tokens are reused.
    before: Option<Arc<Words>>,
    /// Whether the result may be cached for other readers.
    shared: bool,
}

/// Sealed memories that were read, in order of number.
#[derive(Default)]
pub(crate) struct Page {
    read: Vec<(i64, CiphertextId)>,
    /// Texts of the memories that were not analysed before.
    texts: Vec<String>,
}

impl Seals {
    /// Looks up the words for a snapshot. `reads` is false in a write transaction: its changes are not part of its
    /// stamp yet, so its words are not shared.
    pub(crate) fn words_at(&self, stamp: Stamp, reads: bool) -> Snapshot {
        let before = self.words.look();
        let found = before.as_ref().filter(|before| reads && before.stamp.changes == stamp.changes);
        let (words, last) = match found {
            Some(before) if before.stamp == stamp => return Snapshot::Known(Arc::clone(before)),
            Some(before) if before.stamp.created < stamp.created => (before.continued(stamp), before.stamp.created),
            _ => (Words::new(stamp), 0),
        };
        Snapshot::Lacking(Lacking { words, last, before, shared: reads })
    }
}

impl Lacking {
    /// Memories with higher numbers must be read.
    pub(crate) fn last(&self) -> i64 {
        self.last
    }

    /// Adds a memory to a page; opens it unless its tokens are known.
    pub(crate) fn read(
        &self,
        page: &mut Page,
        seals: &Seals,
        (seq, id): (i64, MemoryId),
        sealed: (&[u8], Option<&[u8]>),
    ) -> Result<()> {
        // A text too short to have an id is also too short to open.
        let ciphertext = sealed.0.first_chunk().copied().unwrap_or_default();
        if self.before.as_ref().is_none_or(|before| before.tokens_of(seq, &ciphertext).is_none()) {
            page.texts.push(searched(Some(seals), id, sealed)?);
        }
        page.read.push((seq, ciphertext));
        Ok(())
    }

    /// Adds a page to the words; returns `false` if the page was empty, so the last one.
    pub(crate) async fn take(&mut self, page: Page, seals: &Seals) -> Result<bool> {
        let Some((next, _)) = page.read.last() else { return Ok(false) };
        self.last = *next;
        let mut fresh = seals.analyser.tokens(&page.texts).await?.into_iter();
        for (seq, ciphertext) in page.read {
            match self.before.as_ref().and_then(|before| before.tokens_of(seq, &ciphertext)) {
                Some(tokens) => self.words.add(seq, ciphertext, tokens),
                None => self.words.add(seq, ciphertext, fresh.next().unwrap_or_default().iter().map(String::as_str)),
            }
        }
        Ok(true)
    }

    /// Returns all words, and caches them if they may be shared.
    pub(crate) fn whole(self, seals: &Seals) -> Arc<Words> {
        let words = Arc::new(self.words);
        if self.shared {
            seals.words.put(&words);
        }
        words
    }
}
