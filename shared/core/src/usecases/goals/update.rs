//! Changes some fields of a goal.

use std::sync::Arc;

use super::{GoalAnswer, check_room, not_found};
use crate::boxed;
use crate::error::{Error, Result};
use crate::goals::{Goal, GoalDraft, GoalStatus};
use crate::ids::{GoalId, UserId};
use crate::memory::names;
use crate::ports::{Ids, VaultTransaction};
use crate::settings::ServerDefaults;
use crate::time::Timestamp;
use crate::usecases::idempotency::{self, Key};
use crate::usecases::support::{check_etag, entry};
use crate::usecases::{App, embed_later};

/// A field that an update may name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GoalField {
    /// `kind`
    Kind,
    /// `title`
    Title,
    /// `description`
    Description,
    /// `tags`
    Tags,
    /// `importance`
    Importance,
    /// `status`
    Status,
}
names!(GoalField {
    Kind => "kind",
    Title => "title",
    Description => "description",
    Tags => "tags",
    Importance => "importance",
    Status => "status",
});

/// New values, and which of them to take.
#[derive(Clone, Debug)]
pub struct GoalPatch {
    values: GoalDraft,
    fields: Vec<GoalField>,
}

impl GoalPatch {
    /// Reads an update mask; the error names a path that is no field, and lists the allowed ones.
    pub fn new(values: GoalDraft, mask: &[String]) -> Result<Self> {
        let allowed = || GoalField::ALL.iter().map(|field| field.name()).collect::<Vec<_>>().join(", ");
        if mask.is_empty() {
            return Err(Error::invalid("update_mask", format!("is empty; name at least one of {}", allowed())));
        }
        let field = |path: &String| {
            GoalField::from_name(path)
                .ok_or_else(|| Error::invalid("update_mask", format!("names \"{path}\"; allowed are {}", allowed())))
        };
        let fields = mask.iter().map(field).collect::<Result<_>>()?;
        Ok(Self { values, fields })
    }

    /// Returns the changed draft, normalized and checked.
    fn apply(&self, current: &GoalDraft) -> Result<GoalDraft> {
        let (mut draft, from) = (current.clone(), &self.values);
        for field in &self.fields {
            match field {
                GoalField::Kind => draft.kind = from.kind,
                GoalField::Title => draft.title.clone_from(&from.title),
                GoalField::Description => draft.description.clone_from(&from.description),
                GoalField::Tags => draft.tags.clone_from(&from.tags),
                GoalField::Importance => draft.importance = from.importance,
                GoalField::Status => draft.status = from.status,
            }
        }
        draft.normalized("goal")
    }
}

/// A change of a goal.
#[derive(Clone, Debug)]
pub struct UpdateGoalInput {
    /// The goal.
    pub id: GoalId,
    /// The new values, and which of them apply.
    pub patch: GoalPatch,
    /// The etag it must still have; empty for any.
    pub etag: String,
    /// Makes the write idempotent; empty for none.
    pub request_id: String,
}

impl App {
    /// Changes a goal. A replay returns the goal as it is by then, because answers stored for replays hold no words.
    #[boxed]
    pub async fn update_goal(&self, user: &UserId, input: UpdateGoalInput) -> Result<Goal> {
        let fields: Vec<&str> = input.patch.fields.iter().map(|field| field.name()).collect();
        let key = self.key(&input.request_id, "goal.update", &(input.id, &input.etag, &input.patch.values, fields))?;
        let (ids, defaults) = (Arc::clone(&self.ids), Arc::clone(&self.defaults));
        let work = Arc::new(Update { input, key, now: self.clock.now(), ids, defaults });
        let running = self.vaults.transact(user, "update_goal", move |tx| {
            let work = Arc::clone(&work);
            Box::pin(async move { work.run(tx).await })
        });
        running.await
    }
}

struct Update {
    input: UpdateGoalInput,
    key: Option<Key>,
    now: Timestamp,
    ids: Arc<dyn Ids>,
    defaults: Arc<ServerDefaults>,
}

impl Update {
    async fn run(&self, tx: &mut dyn VaultTransaction) -> Result<Goal> {
        let context = tx.write_context(self.key.as_ref().map(Key::request_id)).await?;
        let before = tx.goal(self.input.id).await?;
        let replay = idempotency::replay::<GoalAnswer>(self.key.as_ref(), context.prior.as_ref())?;
        let before = before.ok_or_else(|| not_found(self.input.id))?;
        if replay.is_some() {
            return Ok(before);
        }
        check_etag(&self.input.etag, &before.revision.to_string())?;
        let draft = self.input.patch.apply(&before.draft)?;
        if draft.status == GoalStatus::Active && before.draft.status != GoalStatus::Active {
            check_room(tx, false, true).await?;
        }
        let goal = Goal { draft, updated_at: self.now, revision: before.revision + 1, ..before };
        tx.put_goal(&goal).await?;
        tx.audit(&entry(self.now, "goal.update", Some(goal.id.to_string()), 1)).await?;
        let tools = (&*self.ids, &*self.defaults);
        embed_later(tx, tools, Some(&context.settings.settings), self.now, None).await?;
        idempotency::remember(self.key.as_ref(), tx, &GoalAnswer::from(&goal), self.now).await?;
        Ok(goal)
    }
}
