//! Notifies followers of a vault about commits of this process.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use kimberly_core::UserId;
use tokio::sync::Notify;

/// The followed vaults. A commit to any other vault costs one lookup in a map that is mostly empty.
#[derive(Default)]
pub(crate) struct Signals {
    followed: Mutex<HashMap<UserId, Weak<Notify>>>,
}

/// From this many users on, users without followers are removed.
const TIDY_FROM: usize = 512;

impl Signals {
    /// Resolves after the next commit to this user's vault.
    pub(crate) fn next(&self, user: &UserId) -> impl Future<Output = ()> + Send + 'static {
        let mut followed = self.followed.lock().unwrap_or_else(PoisonError::into_inner);
        if followed.len() >= TIDY_FROM {
            followed.retain(|_, signal| signal.strong_count() > 0);
        }
        let signal = followed.get(user).and_then(Weak::upgrade).unwrap_or_else(|| {
            let signal = Arc::new(Notify::new());
            followed.insert(user.clone(), Arc::downgrade(&signal));
            signal
        });
        // Registers now, so that no commit is missed even before the first poll.
        signal.notified_owned()
    }

    /// Notifies followers of a commit.
    pub(crate) fn committed(&self, user: &UserId) {
        let followed = self.followed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(signal) = followed.get(user).and_then(Weak::upgrade) {
            signal.notify_waiters();
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;

    use super::*;

    #[test]
    fn a_commit_after_the_call_is_signalled_even_before_it_is_awaited() {
        let (signals, ada) = (Signals::default(), UserId::parse("ada").unwrap());
        signals.committed(&ada);
        let next = signals.next(&ada);
        signals.committed(&UserId::parse("bob").unwrap());
        let mut waiting = Box::pin(next);
        assert!(waiting.as_mut().now_or_never().is_none(), "earlier commits and other vaults do not count");
        signals.committed(&ada);
        assert!(waiting.now_or_never().is_some());
    }

    #[test]
    fn users_without_watchers_are_forgotten() {
        let signals = Signals::default();
        let held = signals.next(&UserId::parse("held").unwrap());
        for n in 0..2 * TIDY_FROM {
            drop(signals.next(&UserId::parse(&format!("user {n}")).unwrap()));
        }
        assert!(signals.followed.lock().unwrap().len() <= TIDY_FROM);
        assert!(signals.followed.lock().unwrap().contains_key(&UserId::parse("held").unwrap()));
        drop(held);
    }
}
