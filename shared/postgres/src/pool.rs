//! Tracks stale connections.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Connections opened before this time are stale: the server had stopped accepting writes.
#[derive(Debug, Default)]
pub(crate) struct Stale(Mutex<Option<Instant>>);

impl Stale {
    /// Marks all connections opened before now as stale.
    pub(crate) fn all(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    /// Reports whether a connection of this age is stale.
    pub(crate) fn is(&self, age: Duration) -> bool {
        let since = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        since.is_some_and(|since| age >= since.elapsed())
    }
}

/// Returns the error for a connection to a standby, which shows outdated data and accepts no writes.
pub fn standby() -> sqlx::Error {
    sqlx::Error::Configuration("this Postgres is a standby or read-only".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_from_before_are_stale_and_those_from_after_are_not() {
        let stale = Stale::default();
        assert!(!stale.is(Duration::from_secs(9)));
        stale.all();
        assert!(stale.is(Duration::from_secs(9)));
        let then = Instant::now().checked_sub(Duration::from_secs(5)).unwrap();
        *stale.0.lock().unwrap() = Some(then);
        assert!(stale.is(Duration::from_secs(9)) && !stale.is(Duration::from_secs(1)));
    }
}
