//! The parts of a context, in the order of the text: the most stable first.

use serde::{Deserialize, Serialize};

use crate::memory::names;

/// A part of a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// Records that are in every prompt of an assistant, named `core/…`.
    Core,
    /// Preferences and standing wishes.
    Wishes,
    /// Active goals.
    Goals,
    /// Summaries of the turns before the last ones.
    Snapshots,
    /// Memories that matter for the query.
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

/// The source of a part's words, which determines their trust.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trust {
    /// Notes of the assistant or its owner.
    Kept,
    /// Wishes of the person.
    Wanted,
    /// Statements that were said or found: true or not, but not wishes.
    Said,
}
names!(Trust { Kept => "kept", Wanted => "wanted", Said => "said" });

impl Part {
    /// Returns how far to trust the part.
    pub const fn trust(self) -> Trust {
        match self {
            Self::Core => Trust::Kept,
            Self::Wishes | Self::Goals => Trust::Wanted,
            Self::Snapshots | Self::Recalled | Self::Turns => Trust::Said,
        }
    }

    /// Returns its share of the budget that core memory leaves, in relation to the shares of all requested parts.
    pub const fn share(self) -> usize {
        match self {
            Self::Core => 0,
            Self::Wishes => 15,
            Self::Goals => 5,
            Self::Snapshots => 10,
            Self::Recalled | Self::Turns => 25,
        }
    }

    /// Reports whether it must be gapless from one end, so that the first item that does not fit ends it.
    pub const fn is_one_piece(self) -> bool {
        matches!(self, Self::Snapshots | Self::Turns)
    }

    /// Returns the heading of the part.
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
