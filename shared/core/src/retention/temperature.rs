//! Temperature (Y-3): whether a record is hot, warm or cold, and the reasons for it.

use crate::memory::names;

/// How warm a record is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Temperature {
    /// Used, important, or well connected.
    Hot,
    /// Neither hot nor cold.
    Warm,
    /// Long unused, of little importance and unconnected. It stays active.
    Cold,
}
impl Temperature {
    /// Reports whether this is colder than another temperature.
    pub const fn is_colder_than(self, other: Self) -> bool {
        self as u8 > other as u8
    }
}
names!(Temperature { Hot => "hot", Warm => "warm", Cold => "cold" });

/// Why a record has its temperature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WarmthReason {
    /// Its priority is high.
    HighPriority,
    /// It has hardly decayed.
    LowDecay,
    /// It was used in the last three days.
    RecentAccess,
    /// It has many connections.
    DenseGraph,
    /// It has new connections.
    ActiveConnections,
    /// It is protected, or never decays.
    ManualPin,
    /// Its priority is moderate.
    ModeratePriority,
    /// It was used in the last three weeks.
    RecentlyAccessed,
    /// It has some connections.
    ConnectedGraph,
    /// A person tagged it.
    ManualTagsPresent,
    /// It cools, but is not yet stale enough to be cold.
    NotYetStale,
    /// It was not used for at least 30 days, and matters little.
    StaleAndLowPriority,
    /// It was not used for at least 45 days, has decayed, and has no connections.
    ColdAndDisconnected,
}
names!(WarmthReason {
    HighPriority => "high_priority",
    LowDecay => "low_decay",
    RecentAccess => "recent_access",
    DenseGraph => "dense_graph",
    ActiveConnections => "active_connections",
    ManualPin => "manual_pin",
    ModeratePriority => "moderate_priority",
    RecentlyAccessed => "recently_accessed",
    ConnectedGraph => "connected_graph",
    ManualTagsPresent => "manual_tags_present",
    NotYetStale => "not_yet_stale",
    StaleAndLowPriority => "stale_and_low_priority",
    ColdAndDisconnected => "cold_and_disconnected",
});
