//! A clock that advances only manually, and sequential ids.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use kimberly_core::Timestamp;
use kimberly_core::ports::{Clock, Ids};
use kimberly_core::time::Span;
use uuid::Uuid;

/// A clock that advances only manually.
#[derive(Debug)]
pub struct FakeClock(AtomicI64);

impl FakeClock {
    /// A clock at this time.
    pub fn at(now: Timestamp) -> Self {
        Self(AtomicI64::new(now.0))
    }

    /// Sets the time.
    pub fn set(&self, now: Timestamp) {
        self.0.store(now.0, Ordering::SeqCst);
    }

    /// Advances the clock.
    pub fn advance(&self, by: Span) {
        self.0.fetch_add(by.0, Ordering::SeqCst);
    }
}

impl Clock for FakeClock {
    fn now(&self) -> Timestamp {
        Timestamp(self.0.load(Ordering::SeqCst))
    }
}

/// UUIDs version 7 whose random part is a counter.
#[derive(Debug, Default)]
pub struct CountingIds(AtomicU64);

impl Ids for CountingIds {
    fn new_id(&self, now: Timestamp) -> Uuid {
        let count = self.0.fetch_add(1, Ordering::SeqCst);
        let mut random = [0_u8; 10];
        random[2..].copy_from_slice(&count.to_be_bytes());
        let millis = u64::try_from(now.0 / 1_000).unwrap_or_default();
        uuid::Builder::from_unix_timestamp_millis(millis, &random).into_uuid()
    }
}
