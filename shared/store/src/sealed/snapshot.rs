//! The words of sealed memories as of a snapshot: those that are kept, those and what is new, or all made again.

use std::sync::Arc;

use kimberly_core::error::Result;
use kimberly_core::ids::MemoryId;
use kimberly_core::memory::with_texts;

use super::{Mark, Seals, Words};
use crate::keep::Stamp;
use crate::rows::opened;
use crate::tables::memories::{CONTENT, TEXTS};

/// What full text sees of a sealed memory: its content and the texts of its detail, opened.
pub(crate) fn searched(
    seals: Option<&Seals>,
    id: MemoryId,
    (content, texts): (&[u8], Option<&[u8]>),
) -> Result<String> {
    let texts = texts.map(|texts| opened(seals, id, TEXTS, texts)).transpose()?;
    Ok(with_texts(opened(seals, id, CONTENT, content)?, texts))
}

/// What there is for a snapshot.
pub(crate) enum Snapshot {
    /// Its words.
    Known(Arc<Words>),
    /// Words that lack memories, which are to be read.
    Lacking(Lacking),
}

/// Words that lack memories with a higher number than the last.
pub(crate) struct Lacking {
    words: Words,
    last: i64,
    /// What was analysed before.
    before: Option<Arc<Words>>,
    /// Whether others may have the words.
    shared: bool,
}

/// Sealed memories that were read, in order of number.
#[derive(Default)]
pub(crate) struct Page {
    read: Vec<(i64, Mark)>,
    /// Those of them that were not analysed before.
    texts: Vec<String>,
}

impl Seals {
    /// What there is for a snapshot. `reads` is not set in a transaction, which sees what its stamp does not count yet: that
    /// is for nobody else.
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
    /// Memories with a higher number are to be read.
    pub(crate) fn last(&self) -> i64 {
        self.last
    }

    /// Adds a memory to a page; it is opened unless its tokens are known.
    pub(crate) fn read(
        &self,
        page: &mut Page,
        seals: &Seals,
        (seq, id): (i64, MemoryId),
        sealed: (&[u8], Option<&[u8]>),
    ) -> Result<()> {
        // What is too short to have a mark is too short to be opened.
        let mark = sealed.0.first_chunk().copied().unwrap_or_default();
        if self.before.as_ref().is_none_or(|before| before.tokens_of(seq, &mark).is_none()) {
            page.texts.push(searched(Some(seals), id, sealed)?);
        }
        page.read.push((seq, mark));
        Ok(())
    }

    /// Takes a page in; `false` if it was empty, and so the last one.
    pub(crate) async fn take(&mut self, page: Page, seals: &Seals) -> Result<bool> {
        let Some((next, _)) = page.read.last() else { return Ok(false) };
        self.last = *next;
        let mut fresh = seals.analyser.tokens(&page.texts).await?.into_iter();
        for (seq, mark) in page.read {
            match self.before.as_ref().and_then(|before| before.tokens_of(seq, &mark)) {
                Some(tokens) => self.words.add(seq, mark, tokens),
                None => self.words.add(seq, mark, fresh.next().unwrap_or_default().iter().map(String::as_str)),
            }
        }
        Ok(true)
    }

    /// All words, kept for others if they may have them.
    pub(crate) fn whole(self, seals: &Seals) -> Arc<Words> {
        let words = Arc::new(self.words);
        if self.shared {
            seals.words.keep(&words);
        }
        words
    }
}
