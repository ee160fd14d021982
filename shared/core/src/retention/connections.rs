//! The number of a record's connections: links from and to it, and the relations between entities that it states.

use crate::time::{Span, Timestamp};

/// The number of a record's connections.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Connections {
    /// Links, and relations between entities that the record states.
    pub all: u64,
    /// Connections of the last seven days.
    pub recent: u64,
}

impl Connections {
    /// Connections younger than this are recent.
    pub const RECENT: Span = Span::days(7);

    /// Returns the number of connections, with recent ones counted three times.
    pub const fn score(self) -> u64 {
        self.all.saturating_add(self.recent.saturating_mul(2))
    }

    pub(super) fn add(&mut self, stored_at: Timestamp, now: Timestamp) {
        self.all += 1;
        self.recent += u64::from(stored_at > now.minus(Self::RECENT));
    }
}
