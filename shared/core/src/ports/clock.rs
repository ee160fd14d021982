//! Sources of time and ids.

use uuid::Uuid;

use crate::time::Timestamp;

/// A clock: the system's in processes, a settable one in tests and simulations.
pub trait Clock: Send + Sync {
    /// The current time in UTC.
    fn now(&self) -> Timestamp;
}

/// Generates ids: UUIDs version 7, which sort by the time given.
pub trait Ids: Send + Sync {
    /// Generates an id for something created at `now`.
    fn new_id(&self, now: Timestamp) -> Uuid;
}
