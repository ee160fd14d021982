//! Caches the columns that recall needs of every memory while a vault is open. The full-text query then only returns
//! matching numbers with their rank; filters and neighbours need no SQL.
//!
//! The cache is derived data. Every use compares it with two counters of the reader's snapshot: one counts new memories
//! (only the new ones are loaded then), the other counts all other changes that recall sees (the cache is rebuilt).
//! Filters by tags, session or speaker use SQL, and so do vaults that are too large.

mod pass;
mod spots;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use kimberly_core::error::Result;
use kimberly_core::ids::Seq;
use kimberly_core::memory::Tier;
use kimberly_core::ports::{LexicalHit, SessionSpot};
use kimberly_core::text::TextTraits;
use kimberly_core::time::Timestamp;

use crate::cache::{CacheEntry, CacheLookup, Stamp, VaultCache};

pub(crate) use pass::{Pass, covers};
pub(crate) use spots::ranges;

/// Largest number of memories cached per vault, at 72 bytes each.
const LARGEST: u64 = 100_000;

/// The bit of `Entry::kind` that marks a stale memory.
const STALE: u8 = 1 << 7;

/// The cached columns of one memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Entry {
    seq: i64,
    occurred_at: i64,
    created_at: i64,
    score: f64,
    /// 0 if the memory has no session.
    session: u32,
    position: u32,
    /// 0 if the memory has no speaker.
    speaker: u32,
    words: u32,
    /// The bits of its text traits.
    traits: u8,
    tier: u8,
    /// State, sensitivity, source, scope and the withheld flag: the lowest bits of [`Further::more`].
    more: u8,
    /// 0 for no kind; the highest bit marks a stale memory.
    kind: u8,
    /// 0 for the default namespace.
    namespace: u32,
    /// Start and end of its validity.
    valid: (i64, i64),
}

/// Columns of an entry that a lexical hit does not contain.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Further {
    /// State, sensitivity, source, scope and the withheld flag, packed.
    pub(crate) more: i64,
    /// 0 for the default namespace.
    pub(crate) namespace: i64,
    /// Start of validity; `None` means always.
    pub(crate) valid_from: Option<i64>,
    /// End of validity; `None` means forever.
    pub(crate) valid_to: Option<i64>,
}

/// Entries in order of number, and namespaces with their numbers.
pub(crate) type Loaded = (Vec<Entry>, Vec<(String, u32)>);

/// The cached columns of all memories of a vault, as of a stamp.
#[derive(Clone, Debug, Default)]
pub(crate) struct Columns {
    stamp: Stamp,
    /// In order of number.
    entries: Vec<Entry>,
    /// Indices of entries that have a session, by session and position.
    by_spot: Vec<u32>,
    /// Namespaces with their numbers.
    namespaces: Vec<(String, u32)>,
}

impl Entry {
    /// Builds an entry from a packed hit and its further columns; `None` if a number is out of range.
    pub(crate) fn new(hit: &LexicalHit, further: Further) -> Option<Self> {
        let number = |n: Option<i64>| u32::try_from(n.unwrap_or_default()).ok();
        Some(Self {
            seq: hit.seq.0,
            occurred_at: hit.occurred_at.0,
            created_at: hit.created_at.0,
            score: hit.score,
            session: number(hit.spot.map(|spot| spot.session))?,
            position: number(hit.spot.map(|spot| spot.position))?,
            speaker: number(hit.speaker)?,
            words: hit.traits.words,
            traits: hit.traits.bits(),
            tier: hit.tier as u8,
            more: u8::try_from(further.more & 0xff).ok()?,
            kind: u8::try_from(further.more >> 8).ok()? | if hit.stale { STALE } else { 0 },
            namespace: u32::try_from(further.namespace).ok()?,
            valid: (further.valid_from.unwrap_or(-i64::MAX), further.valid_to.unwrap_or(i64::MAX)),
        })
    }

    pub(crate) fn state(&self) -> i64 {
        i64::from(self.more & 3)
    }

    pub(crate) fn sensitive(&self) -> i64 {
        i64::from(self.more >> 2 & 1)
    }

    pub(crate) fn source(&self) -> i64 {
        i64::from(self.more >> 3 & 3)
    }

    pub(crate) fn scope(&self) -> i64 {
        i64::from(self.more >> 5 & 3)
    }

    pub(crate) fn withheld(&self) -> i64 {
        i64::from(self.more >> 7)
    }

    pub(crate) fn kind(&self) -> i64 {
        i64::from(self.kind & !STALE)
    }

    pub(crate) fn stale(&self) -> i64 {
        i64::from(self.kind & STALE != 0)
    }

    pub(crate) fn tier(&self) -> i64 {
        i64::from(self.tier)
    }

    pub(crate) fn created_at(&self) -> i64 {
        self.created_at
    }

    pub(crate) fn occurred_at(&self) -> i64 {
        self.occurred_at
    }

    pub(crate) fn valid_from(&self) -> i64 {
        self.valid.0
    }

    pub(crate) fn valid_to(&self) -> i64 {
        self.valid.1
    }

    fn namespace(&self) -> i64 {
        i64::from(self.namespace)
    }

    fn hit(&self, bm25: f64) -> LexicalHit {
        let spot = SessionSpot { session: self.session.into(), position: self.position.into() };
        LexicalHit {
            seq: Seq(self.seq),
            bm25,
            spot: (self.session != 0).then_some(spot),
            speaker: (self.speaker != 0).then(|| self.speaker.into()),
            occurred_at: Timestamp(self.occurred_at),
            created_at: Timestamp(self.created_at),
            traits: TextTraits::from_bits(self.traits, self.words),
            score: self.score,
            tier: Tier::ALL.get(usize::from(self.tier)).copied().unwrap_or_default(),
            stale: self.kind & STALE != 0,
        }
    }
}

impl Columns {
    /// Builds columns from entries in order of number.
    pub(crate) fn new(stamp: Stamp, (entries, namespaces): Loaded) -> Self {
        let mut columns = Self { stamp, entries, by_spot: Vec::new(), namespaces };
        columns.index_spots(0);
        columns
    }

    /// Returns the columns for a snapshot, loading memories with a number above the argument of `load` if they are
    /// missing. `None` if there are no columns for this snapshot, no room for them, or another reader loads them: the
    /// caller uses SQL.
    pub(crate) async fn at<F>(
        cache: &VaultCache<Self>,
        stamp: Stamp,
        load: impl FnOnce(i64) -> F,
    ) -> Result<Option<Arc<Self>>>
    where
        F: Future<Output = Result<Loaded>>,
    {
        if stamp.items > LARGEST {
            cache.forget();
            return Ok(None);
        }
        let columns = match cache.at(stamp) {
            CacheLookup::Fresh(columns) => return Ok(Some(columns)),
            CacheLookup::Unfit => return Ok(None),
            CacheLookup::Older(columns) => columns.extended(stamp, load(columns.stamp.created).await?),
            CacheLookup::Nothing => {
                let each = size_of::<Entry>() + size_of::<u32>();
                let bytes = usize::try_from(stamp.items).unwrap_or(usize::MAX).saturating_mul(each);
                let Some(loading) = cache.begin(bytes) else { return Ok(None) };
                let columns = Arc::new(Self::new(stamp, load(0).await?));
                loading.put(&columns);
                return Ok(Some(columns));
            }
        };
        let columns = Arc::new(columns);
        cache.put(&columns);
        Ok(Some(columns))
    }

    /// Returns these columns with newer memories added.
    pub(crate) fn extended(&self, stamp: Stamp, (newer, namespaces): Loaded) -> Self {
        let from = self.entries.len();
        let mut columns = Self { stamp, entries: self.entries.clone(), by_spot: self.by_spot.clone(), namespaces };
        columns.entries.extend(newer);
        columns.index_spots(from);
        columns
    }

    /// Converts numbers with BM25 to hits, keeping those that pass.
    pub(crate) fn hits(&self, found: &[(i64, f64)], pass: &Pass) -> Vec<LexicalHit> {
        found
            .iter()
            .filter_map(|(seq, bm25)| self.entry(*seq).filter(|entry| pass.lets(entry)).map(|entry| entry.hit(*bm25)))
            .collect()
    }

    /// Returns the number of a namespace; `None` if no memory is in it.
    pub(super) fn namespace(&self, name: &str) -> Option<u32> {
        if name.is_empty() {
            return Some(0);
        }
        self.namespaces.iter().find(|(known, _)| known == name).map(|(_, no)| *no)
    }

    fn entry(&self, seq: i64) -> Option<&Entry> {
        // If nothing was erased, the memory with number n is at index n - 1.
        let guess = usize::try_from(seq.checked_sub(1)?).ok()?;
        if let Some(entry) = self.entries.get(guess).filter(|entry| entry.seq == seq) {
            return Some(entry);
        }
        self.entries.binary_search_by_key(&seq, |entry| entry.seq).ok().map(|index| &self.entries[index])
    }
}

impl CacheEntry for Columns {
    fn stamp(&self) -> Stamp {
        self.stamp
    }

    fn bytes(&self) -> usize {
        let names: usize = self.namespaces.iter().map(|(name, _)| name.len() + size_of::<(String, u32)>()).sum();
        self.entries.len() * size_of::<Entry>() + self.by_spot.len() * size_of::<u32>() + names
    }
}
