//! The user's goals: create, get, list, update, delete, import; one file each.

mod create;
mod delete;
mod get;
mod import;
mod list;
mod update;

use serde::{Deserialize, Serialize};

pub use create::CreateGoalInput;
pub use delete::DeleteGoalInput;
pub use import::GoalsImported;
pub use list::{GoalPage, ListGoalsInput};
pub use update::{GoalField, GoalPatch, UpdateGoalInput};

use crate::bounds::{MAX_ACTIVE_GOALS, MAX_GOALS};
use crate::error::{Entity, Error, Result};
use crate::goals::Goal;
use crate::ids::GoalId;
use crate::ports::VaultTransaction;
use crate::time::Timestamp;

/// The answer stored for replays: never the goal's words.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct GoalAnswer {
    id: GoalId,
    created_at: Timestamp,
    updated_at: Timestamp,
    revision: u64,
}

impl From<&Goal> for GoalAnswer {
    fn from(goal: &Goal) -> Self {
        Self { id: goal.id, created_at: goal.created_at, updated_at: goal.updated_at, revision: goal.revision }
    }
}

fn not_found(id: GoalId) -> Error {
    Error::NotFound { entity: Entity::Goal, id: id.to_string() }
}

/// Fails if there would be too many goals: in all if one is `new`, or active ones if one becomes `active`.
async fn check_room(tx: &mut dyn VaultTransaction, new: bool, active: bool) -> Result<()> {
    let (all, active_now) = tx.count_goals().await?;
    if new && all >= MAX_GOALS {
        return Err(Error::LimitReached { what: "goals", limit: MAX_GOALS });
    }
    if active && active_now >= MAX_ACTIVE_GOALS {
        return Err(Error::LimitReached { what: "active goals", limit: MAX_ACTIVE_GOALS });
    }
    Ok(())
}
