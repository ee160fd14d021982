//! One at a time for each user: a sync and an upload of the same user would undo each other, in this process and, where
//! vectors lie in a database, in any other.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use kimberly_core::UserId;
use kimberly_core::error::Result;
use kimberly_core::ports::VectorTurns;
use tokio::sync::{Mutex as TurnMutex, OwnedMutexGuard};

/// Users who are forgotten when so many are known and nobody works on them.
const TIDY_FROM: usize = 1_024;

/// Whose turn it is. Clones share it.
#[derive(Clone, Default)]
pub struct Turns {
    here: Arc<Mutex<HashMap<UserId, Weak<TurnMutex<()>>>>>,
    elsewhere: Option<Arc<dyn VectorTurns>>,
}

/// A user's turn; it ends when this is dropped, elsewhere first.
pub struct Turn {
    _elsewhere: Option<Box<dyn Send>>,
    _here: OwnedMutexGuard<()>,
}

impl Turns {
    /// Turns that are taken among all processes which keep vectors in one place.
    pub fn among(elsewhere: Arc<dyn VectorTurns>) -> Self {
        Self { elsewhere: Some(elsewhere), ..Self::default() }
    }

    /// Waits until nobody else works on the user; until it is dropped nobody else does. Fails if other processes cannot be
    /// asked.
    pub async fn take(&self, user: &UserId) -> Result<Turn> {
        let turn = self.of(user);
        // First here, so that no more than one asks for a user.
        let here = turn.lock_owned().await;
        let elsewhere = match &self.elsewhere {
            Some(turns) => Some(turns.take(user).await?),
            None => None,
        };
        Ok(Turn { _elsewhere: elsewhere, _here: here })
    }

    /// Whether somebody works on the user just now, in this process.
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
    async fn users_whom_nobody_works_on_are_forgotten() {
        let turns = Turns::default();
        for n in 0..3 * TIDY_FROM {
            drop(turns.take(&UserId::parse(&format!("user {n}")).unwrap()).await.unwrap());
        }
        assert!(turns.here.lock().unwrap().len() <= TIDY_FROM);
    }

    /// Counts who has a turn elsewhere; every third time nobody answers.
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
                    return Err(Error::storage(StorageFailure::Unavailable, "nobody answers"));
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
            // Whoever waits here does not ask elsewhere.
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
