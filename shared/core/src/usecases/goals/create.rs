//! Adds a goal; memories are scored against it from the next meditation on.

use std::sync::Arc;

use super::{GoalAnswer, check_room};
use crate::boxed;
use crate::error::Result;
use crate::goals::{Goal, GoalDraft, GoalStatus};
use crate::ids::{GoalId, UserId};
use crate::ports::{Ids, VaultTransaction};
use crate::settings::ServerDefaults;
use crate::time::Timestamp;
use crate::usecases::idempotency::{self, Key};
use crate::usecases::support::entry;
use crate::usecases::{App, embed_later};

/// The goal to add.
#[derive(Clone, Debug)]
pub struct CreateGoalInput {
    /// The goal as the caller describes it.
    pub draft: GoalDraft,
    /// Makes the write idempotent; empty for none.
    pub request_id: String,
}

impl App {
    /// Adds a goal. At most 100 may be active, and 10,000 may exist in all.
    #[boxed]
    pub async fn create_goal(&self, user: &UserId, input: CreateGoalInput) -> Result<Goal> {
        let key = self.key(&input.request_id, "goal.create", &input.draft)?;
        let draft = input.draft.normalized("goal")?;
        let now = self.clock.now();
        let (ids, defaults) = (Arc::clone(&self.ids), Arc::clone(&self.defaults));
        let work = Arc::new(Create { id: GoalId(self.ids.new_id(now)), draft, key, now, ids, defaults });
        let running = self.vaults.transact(user, "create_goal", move |tx| {
            let work = Arc::clone(&work);
            Box::pin(async move { work.run(tx).await })
        });
        running.await
    }
}

struct Create {
    id: GoalId,
    draft: GoalDraft,
    key: Option<Key>,
    now: Timestamp,
    ids: Arc<dyn Ids>,
    defaults: Arc<ServerDefaults>,
}

impl Create {
    async fn run(&self, tx: &mut dyn VaultTransaction) -> Result<Goal> {
        let context = tx.write_context(self.key.as_ref().map(Key::request_id)).await?;
        if let Some(answer) = idempotency::replay(self.key.as_ref(), context.prior.as_ref())? {
            return Ok(self.goal(answer));
        }
        check_room(tx, true, self.draft.status == GoalStatus::Active).await?;
        let answer = GoalAnswer { id: self.id, created_at: self.now, updated_at: self.now, revision: 1 };
        let goal = self.goal(answer);
        tx.put_goal(&goal).await?;
        tx.audit(&entry(self.now, "goal.create", Some(goal.id.to_string()), 1)).await?;
        let tools = (&*self.ids, &*self.defaults);
        embed_later(tx, tools, Some(&context.settings.settings), self.now, None).await?;
        idempotency::remember(self.key.as_ref(), tx, &answer, self.now).await?;
        Ok(goal)
    }

    /// A replay has the same body, so its draft is the one that was stored then.
    fn goal(&self, answer: GoalAnswer) -> Goal {
        let GoalAnswer { id, created_at, updated_at, revision } = answer;
        Goal { id, draft: self.draft.clone(), created_at, updated_at, revision }
    }
}
