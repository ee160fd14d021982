//! Vaults that act on behalf of a caller.
//! So no use case names the actor: a transaction acts as its caller (`key:NAME`, `agent:NAME`, `open`). Work that no
//! caller requested is done by `system`.

use std::sync::Arc;

use async_trait::async_trait;

use super::vaults::{BoxFuture, ReadWork, TransactWork, Vaults};
use crate::error::Result;
use crate::ids::UserId;

/// Vaults whose every transaction acts as one caller, so that no use case can forget to name it.
pub struct ActingVaults {
    vaults: Arc<dyn Vaults>,
    name: Arc<str>,
}

impl ActingVaults {
    /// Wraps vaults so that they act as the caller with this name.
    pub fn new(vaults: Arc<dyn Vaults>, name: Arc<str>) -> Self {
        Self { vaults, name }
    }

    fn named(&self, mut work: TransactWork) -> TransactWork {
        let acting = Arc::clone(&self.name);
        Box::new(move |tx| {
            tx.act_as(&acting);
            work(tx)
        })
    }
}

#[async_trait]
impl Vaults for ActingVaults {
    async fn read_with(&self, user: &UserId, work: ReadWork) -> Result<()> {
        self.vaults.read_with(user, work).await
    }

    async fn transact_with(&self, user: &UserId, name: &'static str, work: TransactWork) -> Result<()> {
        self.vaults.transact_with(user, name, self.named(work)).await
    }

    async fn transact_existing_with(&self, user: &UserId, name: &'static str, work: TransactWork) -> Result<bool> {
        self.vaults.transact_existing_with(user, name, self.named(work)).await
    }

    fn next_commit(&self, user: &UserId) -> BoxFuture<'static, ()> {
        self.vaults.next_commit(user)
    }

    async fn empty_log(&self, user: &UserId) -> Result<bool> {
        self.vaults.empty_log(user).await
    }

    fn open_vaults(&self) -> usize {
        self.vaults.open_vaults()
    }

    async fn close(&self) {
        self.vaults.close().await;
    }
}
