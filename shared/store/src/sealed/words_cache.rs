//! The cached words of one open vault's sealed memories, shared by its readers.

use super::Words;
use crate::cache::{CacheEntry, Stamp, VaultCache};

/// Dropped with the open vault.
pub(crate) type WordsCache = VaultCache<Words>;

impl CacheEntry for Words {
    fn stamp(&self) -> Stamp {
        self.stamp
    }

    fn bytes(&self) -> usize {
        self.bytes()
    }
}
