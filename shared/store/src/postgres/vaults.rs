//! The vaults of all users: each read on a snapshot, writes serialized per user.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use async_trait::async_trait;
use kimberly_core::UserId;
use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_core::ports::{BoxFuture, ReadWork, TransactWork, Vaults};

use super::conn::Conn;
use super::reader::{Access, Reading};
use super::shared::Shared;
use super::{head, works};

/// Implements the port over the shared state.
pub(crate) struct VaultsPort(pub(crate) Arc<Shared>);

impl VaultsPort {
    /// Runs a work. If there is no vault, creates it if `makes` is set, otherwise returns `false`.
    async fn transact(&self, user: &UserId, name: &'static str, (makes, work): (bool, TransactWork)) -> Result<bool> {
        self.0.refuse_closed()?;
        let state = self.0.states.of(user);
        // A caller that is cancelled while waiting has not begun.
        let mut answer = state.waiting.add(name, makes, work);
        let turn = tokio::select! {
            biased;
            answered = &mut answer => return answered.unwrap_or_else(|_| Err(dropped())),
            turn = Arc::clone(&state.writing).lock_owned() => turn,
        };
        let (shared, user) = (Arc::clone(&self.0), user.clone());
        // Work that has begun is completed even if the caller is cancelled.
        tokio::spawn(async move {
            works::carry_out(&shared, &user, &state).await;
            drop(turn);
        });
        answer.await.unwrap_or_else(|_| Err(dropped()))
    }
}

#[async_trait]
impl Vaults for VaultsPort {
    async fn read_with(&self, user: &UserId, mut work: ReadWork) -> Result<()> {
        self.0.refuse_closed()?;
        let conn = Conn::new(self.0.pool.read(user).await?, user.clone());
        // After the transaction began, because a new connection may reveal a timeline that invalidates all caches.
        let state = self.0.states.of(user);
        let mut conn = conn.with_analyser(&self.0.analyser);
        conn.looks_through = self.0.options.looks_through;
        if let Err(error) = head::read(&mut conn).await {
            if matches!(error, Error::Purging) {
                state.forget();
            }
            return Err(error);
        }
        let state = state.of(conn.head.incarnation);
        if conn.head.exists {
            state.seals.look().await?;
        }
        conn.seals = Some(Arc::clone(&state.seals));
        let done = work(&mut Access::<Reading>::new(&mut conn, Some(state))).await;
        // The end of a read needs no waiting.
        tokio::spawn(conn.roll_back());
        done
    }

    async fn transact_with(&self, user: &UserId, name: &'static str, work: TransactWork) -> Result<()> {
        self.transact(user, name, (true, work)).await.map(drop)
    }

    async fn transact_existing_with(&self, user: &UserId, name: &'static str, work: TransactWork) -> Result<bool> {
        self.transact(user, name, (false, work)).await
    }

    fn next_commit(&self, user: &UserId) -> BoxFuture<'static, ()> {
        Box::pin(self.0.signals.next(user))
    }

    async fn empty_log(&self, _user: &UserId) -> Result<bool> {
        // Postgres keeps its log as configured; it cannot be emptied from here.
        Ok(true)
    }

    fn open_vaults(&self) -> usize {
        self.0.states.len()
    }

    async fn close(&self) {
        self.0.closed.store(true, Ordering::Release);
        self.0.pool.close().await;
    }
}

fn dropped() -> Error {
    Error::storage(StorageFailure::Defect, "a transaction was dropped before it was done")
}
