//! Imports exported goals with their ids, times and revisions.

use std::sync::Arc;

use crate::bounds::{MAX_ACTIVE_GOALS, MAX_GOAL_BATCH, MAX_GOALS};
use crate::boxed;
use crate::error::{Error, FieldViolation, Result};
use crate::goals::{Goal, GoalStatus};
use crate::ids::UserId;
use crate::ports::VaultTransaction;
use crate::time::Timestamp;
use crate::usecases::support::entry;
use crate::usecases::{App, embed_later};

/// Counts of an import.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GoalsImported {
    /// New goals.
    pub imported: u64,
    /// Goals whose id exists already. They stay as they are.
    pub known: u64,
}

impl App {
    /// Stores at most 100 exported goals as they are. A goal whose id exists is left as it is, so importing twice changes nothing.
    #[boxed]
    pub async fn import_goals(&self, user: &UserId, goals: Vec<Goal>) -> Result<GoalsImported> {
        let now = self.clock.now();
        let goals = Arc::new(checked(goals, now)?);
        let (ids, defaults) = (Arc::clone(&self.ids), Arc::clone(&self.defaults));
        let running = self.vaults.transact(user, "import_goals", move |tx| {
            let (goals, ids, defaults) = (Arc::clone(&goals), Arc::clone(&ids), Arc::clone(&defaults));
            Box::pin(async move {
                let imported = import(tx, &goals, now).await?;
                if imported.imported > 0 {
                    embed_later(tx, (&*ids, &*defaults), None, now, None).await?;
                }
                Ok(imported)
            })
        });
        running.await
    }
}

fn checked(goals: Vec<Goal>, now: Timestamp) -> Result<Vec<Goal>> {
    if goals.is_empty() || goals.len() > MAX_GOAL_BATCH {
        let problem = format!("has {} entries; 1-{MAX_GOAL_BATCH} are allowed", goals.len());
        return Err(Error::invalid("goals", problem));
    }
    let (mut good, mut violations): (Vec<Goal>, Vec<FieldViolation>) = (Vec::new(), Vec::new());
    for (index, goal) in goals.into_iter().enumerate() {
        match goal.checked(&format!("goals[{index}]"), now) {
            Ok(goal) if good.iter().any(|other| other.id == goal.id) => {
                violations.push(FieldViolation::new(
                    format!("goals[{index}].id"),
                    "is in the list twice; send each one once",
                ));
            }
            Ok(goal) => good.push(goal),
            Err(Error::Invalid(found)) => violations.extend(found),
            Err(other) => return Err(other),
        }
    }
    if violations.is_empty() { Ok(good) } else { Err(Error::Invalid(violations)) }
}

async fn import(tx: &mut dyn VaultTransaction, goals: &[Goal], now: Timestamp) -> Result<GoalsImported> {
    let mut new = Vec::new();
    for goal in goals {
        if tx.goal(goal.id).await?.is_none() {
            new.push(goal);
        }
    }
    let (all, active) = tx.count_goals().await?;
    let more = new.iter().filter(|goal| goal.draft.status == GoalStatus::Active).count();
    if more > 0 && active + more > MAX_ACTIVE_GOALS {
        return Err(Error::LimitReached { what: "active goals", limit: MAX_ACTIVE_GOALS });
    }
    if !new.is_empty() && all + new.len() > MAX_GOALS {
        return Err(Error::LimitReached { what: "goals", limit: MAX_GOALS });
    }
    for goal in &new {
        tx.put_goal(goal).await?;
    }
    if !new.is_empty() {
        tx.audit(&entry(now, "goal.import", None, new.len() as u64)).await?;
    }
    Ok(GoalsImported { imported: new.len() as u64, known: (goals.len() - new.len()) as u64 })
}
