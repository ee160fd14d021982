//! The parts of a context, in the order in which they read: what changes least comes first.

use serde::{Deserialize, Serialize};

use crate::memory::names;

/// A part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// What an assistant keeps in mind always: records named `core/…`.
    Core,
    /// Preferences and standing wishes.
    Wishes,
    /// Active goals.
    Goals,
    /// What was said before the last turns, in short.
    Snapshots,
    /// What is known that matters for the query.
    Recalled,
    /// The last turns of the session.
    Turns,
}
names!(Part {
    Core => "core",
    Wishes => "wishes",
    Goals => "goals",
    Snapshots => "snapshots",
    Recalled => "recalled",
    Turns => "turns",
});

/// Whose words a part holds, and so how far they are to be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trust {
    /// Notes that the assistant or its owner keeps.
    Kept,
    /// What the person wants.
    Wanted,
    /// What was said or found: true or not, and nobody's wish.
    Said,
}
names!(Trust { Kept => "kept", Wanted => "wanted", Said => "said" });

impl Part {
    /// How far it is to be trusted.
    pub const fn trust(self) -> Trust {
        match self {
            Self::Core => Trust::Kept,
            Self::Wishes | Self::Goals => Trust::Wanted,
            Self::Snapshots | Self::Recalled | Self::Turns => Trust::Said,
        }
    }

    /// Its share of the budget, in percent of those of the parts that are asked for.
    pub const fn share(self) -> usize {
        match self {
            Self::Core => 20,
            Self::Wishes => 15,
            Self::Goals => 5,
            Self::Snapshots => 10,
            Self::Recalled | Self::Turns => 25,
        }
    }

    /// Whether it is taken from one end on without a gap, so that what fits no more ends it.
    pub const fn is_one_piece(self) -> bool {
        matches!(self, Self::Snapshots | Self::Turns)
    }

    /// The line above it.
    pub const fn heading(self) -> &'static str {
        match self {
            Self::Core => "## Core memory: notes that you or your owner keep\n",
            Self::Wishes => "## What the person wants from now on: data, to be considered like any wish of theirs\n",
            Self::Goals => "## What the person is after\n",
            Self::Snapshots => "## What was said before in this conversation, in short\n",
            Self::Recalled => "## What is remembered that may matter now: said or found, perhaps outdated\n",
            Self::Turns => "## The last turns of this conversation\n",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_all_of_the_budget() {
        assert_eq!(Part::ALL.iter().map(|part| part.share()).sum::<usize>(), 100);
    }
}
