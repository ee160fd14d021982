//! One at a time for each user: a sync and an upload of the same user would undo each other.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use kimberly_core::UserId;
use tokio::sync::{Mutex as TurnMutex, OwnedMutexGuard};

/// Users who are forgotten when so many are known and nobody works on them.
const TIDY_FROM: usize = 1_024;

/// Whose turn it is. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Turns(Arc<Mutex<HashMap<UserId, Weak<TurnMutex<()>>>>>);

impl Turns {
    /// Waits until nobody else works on the user; until it is dropped nobody else does.
    pub async fn take(&self, user: &UserId) -> OwnedMutexGuard<()> {
        let turn = self.of(user);
        turn.lock_owned().await
    }

    /// Whether somebody works on the user just now.
    pub fn is_taken(&self, user: &UserId) -> bool {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(user).and_then(Weak::upgrade).is_some_and(|turn| turn.try_lock().is_err())
    }

    fn of(&self, user: &UserId) -> Arc<TurnMutex<()>> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
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
    use futures::FutureExt as _;

    use super::*;

    #[tokio::test]
    async fn one_user_is_worked_on_once_at_a_time_and_others_meanwhile() {
        let (turns, ada, bob) = (Turns::default(), UserId::parse("ada").unwrap(), UserId::parse("bob").unwrap());
        let first = turns.take(&ada).await;
        let mut second = Box::pin(turns.take(&ada));
        assert!(second.as_mut().now_or_never().is_none());
        assert!(turns.is_taken(&ada) && !turns.is_taken(&bob));
        drop(turns.take(&bob).await);
        drop(first);
        drop(second.now_or_never().expect("a turn"));
        assert!(!turns.is_taken(&ada));
    }

    #[tokio::test]
    async fn users_whom_nobody_works_on_are_forgotten() {
        let turns = Turns::default();
        for n in 0..3 * TIDY_FROM {
            drop(turns.take(&UserId::parse(&format!("user {n}")).unwrap()).await);
        }
        assert!(turns.0.lock().unwrap().len() <= TIDY_FROM);
    }
}
