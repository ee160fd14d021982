//! The words of a vault: from its cached full text, if there is one. Otherwise Postgres counts them once, reading every
//! memory, and the result is cached while only new memories are added.

use std::collections::HashMap;
use std::sync::Arc;

use kimberly_core::error::Result;

use super::cached_columns::stamp;
use super::postings::postings_now;
use super::{Access, sealed};
use crate::cache::{CacheEntry, CacheLookup, Stamp};
use crate::postgres::conn::{Args, Conn};
use crate::postgres::rows::{Cells, ReadRow as _};

/// The inner statement takes the user from the transaction's setting.
const WORDS: &str = "SELECT word, ndoc FROM ts_stat(format('SELECT indexed FROM memories \
     WHERE user_id = current_setting(''kimberly.user_id'') AND seq > %s AND indexed IS NOT NULL', $1))";
/// Overhead per word in bytes.
const WORD_BYTES: usize = 40;

/// Stems, and the number of memories that contain each.
#[derive(Clone, Debug, Default)]
pub(crate) struct Vocabulary {
    stamp: Stamp,
    words: HashMap<Box<str>, u64>,
    bytes: usize,
}

impl CacheEntry for Vocabulary {
    fn stamp(&self) -> Stamp {
        self.stamp
    }

    fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Vocabulary {
    fn add(&mut self, word: &str, memories: u64) {
        if let Some(count) = self.words.get_mut(word) {
            *count += memories;
        } else {
            self.bytes += word.len() + WORD_BYTES;
            self.words.insert(word.into(), memories);
        }
    }

    /// Reports whether any memory contains a stem.
    pub(super) fn holds(&self, word: &str) -> bool {
        self.words.contains_key(word)
    }

    /// Returns stems that begin with one of `letters` and have a length in range, in characters, with their counts.
    fn like(&self, letters: &[char], (shortest, longest): (usize, usize)) -> Vec<(String, u64)> {
        let fits = |word: &str| {
            word.chars().next().is_some_and(|first| letters.contains(&first))
                && (shortest..=longest).contains(&word.chars().count())
        };
        let found = self.words.iter().filter(|(word, _)| fits(word));
        found.map(|(word, memories)| (word.to_string(), *memories)).collect()
    }
}

/// Returns stems that begin with one of `letters` and have a length in range, in characters, with the number of
/// memories that contain them.
pub(super) async fn like<M>(
    access: &mut Access<'_, M>,
    letters: &[char],
    lengths: (usize, usize),
) -> Result<Vec<(String, u64)>> {
    let mut found = match postings_now(access).await? {
        Some(postings) => postings.like(letters, lengths),
        None => whole(access).await?.like(letters, lengths),
    };
    sealed::add_vocabulary(access, letters, lengths, &mut found).await?;
    Ok(found)
}

/// Returns the vocabulary of the snapshot, without sealed memories, from the cache if possible; caches it for readers.
async fn whole<M>(access: &mut Access<'_, M>) -> Result<Arc<Vocabulary>> {
    let stamp = stamp(access.conn)?;
    let before = access.caches.as_ref().map_or(CacheLookup::Unfit, |caches| caches.vocabulary.at(stamp));
    let (mut words, last) = match before {
        CacheLookup::Fresh(before) => return Ok(before),
        CacheLookup::Older(before) => (Vocabulary::clone(&before), before.stamp.created),
        CacheLookup::Nothing | CacheLookup::Unfit => (Vocabulary::default(), 0),
    };
    words.stamp = stamp;
    load(access.conn, &mut words, last).await?;
    let words = Arc::new(words);
    if let Some(caches) = &access.caches {
        caches.vocabulary.put(&words);
    }
    Ok(words)
}

/// Returns the vocabulary of the snapshot if it is cached.
pub(super) fn cached<M>(access: &Access<'_, M>) -> Result<Option<Arc<Vocabulary>>> {
    let stamp = stamp(access.conn)?;
    Ok(match access.caches.as_ref().map(|caches| caches.vocabulary.at(stamp)) {
        Some(CacheLookup::Fresh(vocabulary)) => Some(vocabulary),
        _ => None,
    })
}

/// Adds memories with higher numbers.
async fn load(conn: &mut Conn, words: &mut Vocabulary, last: i64) -> Result<()> {
    let args = Args::none().with(last);
    conn.for_each("counting words", WORDS, args, |row| {
        let c = &mut Cells::new(row);
        words.add(c.str()?, c.count()?);
        Ok(true)
    })
    .await?;
    Ok(())
}
