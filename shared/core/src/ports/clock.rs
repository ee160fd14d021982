//! Time and ids as arguments.

use uuid::Uuid;

use crate::time::Timestamp;

/// Tells the time. The system's clock in processes, a settable one in tests and simulations.
pub trait Clock: Send + Sync {
    /// Now, in UTC.
    fn now(&self) -> Timestamp;
}

/// Makes ids: UUIDs version 7, so that they sort by the time given.
pub trait Ids: Send + Sync {
    /// A new id for something created at `now`.
    fn new_id(&self, now: Timestamp) -> Uuid;
}
