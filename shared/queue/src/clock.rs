//! The only module of this crate that reads the time of day or randomness.
//!
//! apalis stores whole Unix seconds of the system clock, so this must be the same clock.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The time since the Unix epoch.
#[expect(clippy::disallowed_methods, reason = "apalis decides what is due by this clock, so no other will do")]
pub(crate) fn since_1970() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

/// The time in whole Unix seconds.
pub(crate) fn unix_now() -> i64 {
    i64::try_from(since_1970().as_secs()).unwrap_or(i64::MAX)
}

/// A random number in 0..1, for jitter.
pub(crate) fn jitter() -> f64 {
    rand::random()
}

/// A new worker name: apalis refuses one that it saw within the last heartbeat.
pub(crate) fn fresh_worker_name() -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname")
        .ok()
        .or_else(|| std::env::var("HOSTNAME").ok())
        .unwrap_or_default();
    let host = match host.trim() {
        "" => "host",
        name => name,
    };
    format!("{host}-{}-{:016x}", std::process::id(), rand::random::<u64>())
}

/// An id for a row of apalis; starts with the time.
pub(crate) fn fresh_task_id() -> String {
    ulid::Ulid::generate().to_string()
}
