//! Removes a goal.

use std::sync::Arc;

use super::not_found;
use crate::boxed;
use crate::error::Result;
use crate::ids::{GoalId, UserId};
use crate::ports::{Ids, VaultTransaction};
use crate::settings::ServerDefaults;
use crate::time::Timestamp;
use crate::usecases::idempotency::{self, Key};
use crate::usecases::support::entry;
use crate::usecases::{App, embed_later};

/// The goal to remove.
#[derive(Clone, Debug)]
pub struct DeleteGoalInput {
    /// The goal.
    pub id: GoalId,
    /// Makes the write idempotent; empty for none.
    pub request_id: String,
}

impl App {
    /// Removes a goal for good.
    #[boxed]
    pub async fn delete_goal(&self, user: &UserId, input: DeleteGoalInput) -> Result<()> {
        let key = self.key(&input.request_id, "goal.delete", &input.id)?;
        let (ids, defaults) = (Arc::clone(&self.ids), Arc::clone(&self.defaults));
        let work = Arc::new(Delete { id: input.id, key, now: self.clock.now(), ids, defaults });
        let running = self.vaults.transact(user, "delete_goal", move |tx| {
            let work = Arc::clone(&work);
            Box::pin(async move { work.run(tx).await })
        });
        running.await
    }
}

struct Delete {
    id: GoalId,
    key: Option<Key>,
    now: Timestamp,
    ids: Arc<dyn Ids>,
    defaults: Arc<ServerDefaults>,
}

impl Delete {
    async fn run(&self, tx: &mut dyn VaultTransaction) -> Result<()> {
        let context = tx.write_context(self.key.as_ref().map(Key::request_id)).await?;
        if idempotency::replay::<()>(self.key.as_ref(), context.prior.as_ref())?.is_some() {
            return Ok(());
        }
        if !tx.delete_goal(self.id).await? {
            return Err(not_found(self.id));
        }
        tx.audit(&entry(self.now, "goal.delete", Some(self.id.to_string()), 1)).await?;
        let tools = (&*self.ids, &*self.defaults);
        embed_later(tx, tools, Some(&context.settings.settings), self.now, None).await?;
        idempotency::remember(self.key.as_ref(), tx, &(), self.now).await
    }
}
