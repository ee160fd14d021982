//! The cached words of one open vault's sealed memories, shared by its readers.

use super::Words;
use crate::keep::{Keep, Keeper, Stamp};

/// Dropped with the open vault.
pub(crate) type KeptWords = Keeper<Words>;

impl Keep for Words {
    fn stamp(&self) -> Stamp {
        self.stamp
    }

    fn bytes(&self) -> usize {
        self.bytes()
    }
}
