//! Per-user locks: a concurrent sync and upload of one user would undo each other's changes, in this process or, if
//! vectors are in a database, in others.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use kimberly_core::UserId;
use kimberly_core::error::Result;
use kimberly_core::ports::VectorTurns;
use tokio::sync::{Mutex as TurnMutex, OwnedMutexGuard};

/// Number of known users from which unused locks are removed.
const TIDY_FROM: usize = 1_024;

/// The locks of users. Clones share them.
#[derive(Clone, Default)]
pub struct Turns {
    here: Arc<Mutex<HashMap<UserId, Weak<TurnMutex<()>>>>>,
    elsewhere: Option<Arc<dyn VectorTurns>>,
}

/// A lock on a user. Dropping it releases the lock of other processes first.
pub struct Turn {
    _elsewhere: Option<Box<dyn Send>>,
    _here: OwnedMutexGuard<()>,
}

impl Turns {
    /// Locks shared with all processes that maintain vectors in one database.
    pub fn among(elsewhere: Arc<dyn VectorTurns>) -> Self {
        Self { elsewhere: Some(elsewhere), ..Self::default() }
    }

    /// Waits for the exclusive lock on a user. Fails if the lock of other processes is unavailable.
    pub async fn take(&self, user: &UserId) -> Result<Turn> {
        let turn = self.of(user);
        // The local lock first, so that at most one task per user asks the database.
        let here = turn.lock_owned().await;
        let elsewhere = match &self.elsewhere {
            Some(turns) => Some(turns.take(user).await?),
            None => None,
        };
        Ok(Turn { _elsewhere: elsewhere, _here: here })
    }

    /// Whether this process holds the lock on the user.
    pub fn is_taken(&self, user: &UserId) -> bool {
        let known = self.here.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(user).and_then(Weak::upgrade).is_some_and(|turn| turn.try_lock().is_err())
    }

    fn of(&self, user: &UserId) -> Arc<TurnMutex<()>> {
        let mut known = self.here.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= TIDY_FROM {
            known.retain(|_, turn| turn.strong_count() > 0);
        }
        known.get(user).and_then(Weak::upgrade).unwrap_or_else(|| {
            let turn = Arc::new(TurnMutex::new(()));
            known.insert(user.clone(), Arc::downgrade(&turn));
            turn
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use futures::FutureExt as _;
    use kimberly_core::error::{Error, StorageFailure};
    use kimberly_core::ports::BoxFuture;

    use super::*;

    #[tokio::test]
    async fn one_user_is_worked_on_once_at_a_time_and_others_meanwhile() {
        let (turns, ada, bob) = (Turns::default(), UserId::parse("ada").unwrap(), UserId::parse("bob").unwrap());
        let first = turns.take(&ada).await.unwrap();
        let mut second = Box::pin(turns.take(&ada));
        assert!(second.as_mut().now_or_never().is_none());
        assert!(turns.is_taken(&ada) && !turns.is_taken(&bob));
        drop(turns.take(&bob).await.unwrap());
        drop(first);
        drop(second.now_or_never().expect("a turn").unwrap());
        assert!(!turns.is_taken(&ada));
    }

    #[tokio::test]
    async fn idle_users_are_forgotten() {
        let turns = Turns::default();
        for n in 0..3 * TIDY_FROM {
            drop(turns.take(&UserId::parse(&format!("user {n}")).unwrap()).await.unwrap());
        }
        assert!(turns.here.lock().unwrap().len() <= TIDY_FROM);
    }

    /// Counts locks held elsewhere; every third attempt fails.
    #[derive(Default)]
    struct Elsewhere(Arc<AtomicU32>, AtomicU32);

    struct Held(Arc<AtomicU32>);

    impl Drop for Held {
        fn drop(&mut self) {
            self.0.fetch_sub(1, Ordering::Relaxed);
        }
    }

    impl VectorTurns for Elsewhere {
        fn take<'a>(&'a self, _: &'a UserId) -> BoxFuture<'a, Result<Box<dyn Send>>> {
            Box::pin(async move {
                if self.1.fetch_add(1, Ordering::Relaxed) % 3 == 2 {
                    return Err(Error::storage(StorageFailure::Unavailable, "no answer"));
                }
                self.0.fetch_add(1, Ordering::Relaxed);
                Ok(Box::new(Held(Arc::clone(&self.0))) as Box<dyn Send>)
            })
        }
    }

    #[tokio::test]
    async fn a_turn_is_taken_elsewhere_too_and_given_back_where_that_fails() {
        let elsewhere = Elsewhere::default();
        let held = Arc::clone(&elsewhere.0);
        let (turns, ada) = (Turns::among(Arc::new(elsewhere)), UserId::parse("ada").unwrap());
        for _ in 0..2 {
            let turn = turns.take(&ada).await.unwrap();
            assert_eq!(held.load(Ordering::Relaxed), 1);
            // A task that waits for the local lock does not ask the database.
            assert!(turns.take(&ada).now_or_never().is_none());
            assert_eq!(held.load(Ordering::Relaxed), 1);
            drop(turn);
            assert_eq!(held.load(Ordering::Relaxed), 0);
        }
        assert!(turns.take(&ada).await.is_err());
        assert!(!turns.is_taken(&ada));
        drop(turns.take(&ada).await.unwrap());
    }
}
