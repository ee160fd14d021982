//! Reads one goal.

use super::not_found;
use crate::boxed;
use crate::error::Result;
use crate::goals::Goal;
use crate::ids::{GoalId, UserId};
use crate::usecases::App;

impl App {
    /// Returns one goal, in any status.
    #[boxed]
    pub async fn get_goal(&self, user: &UserId, id: GoalId) -> Result<Goal> {
        let found = self.vaults.read(user, move |reader| Box::pin(async move { reader.goal(id).await }));
        found.await?.ok_or_else(|| not_found(id))
    }
}
