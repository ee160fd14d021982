//! Which connections are good no longer.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Since when no connection is good that was made before: then a server was found to be one that cannot write any more.
#[derive(Debug, Default)]
pub(crate) struct Stale(Mutex<Option<Instant>>);

impl Stale {
    /// None is good that was made before now.
    pub(crate) fn all(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    /// Whether one is not that was made so long ago.
    pub(crate) fn is(&self, age: Duration) -> bool {
        let since = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        since.is_some_and(|since| age >= since.elapsed())
    }
}

/// Why a new connection is let go of whose server follows another one: it does not show what was just written, and takes nothing.
pub fn standby() -> sqlx::Error {
    sqlx::Error::Configuration("this Postgres follows another one, or only reads".into())
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
