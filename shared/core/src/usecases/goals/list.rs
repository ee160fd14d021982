//! Lists goals, newest first.

use crate::bounds::MAX_PAGE_BYTES;
use crate::boxed;
use crate::error::Result;
use crate::goals::{Goal, GoalStatus};
use crate::ids::{GoalId, UserId};
use crate::time::Timestamp;
use crate::usecases::App;
use crate::usecases::page::{PageRequest, Scope};

/// The goals to list, and the page.
#[derive(Clone, Debug, Default)]
pub struct ListGoalsInput {
    /// Only goals of this status; `None` for all.
    pub status: Option<GoalStatus>,
    /// The page.
    pub page: PageRequest,
}

/// A page of goals.
#[derive(Clone, Debug, PartialEq)]
pub struct GoalPage {
    /// The goals.
    pub goals: Vec<Goal>,
    /// Token of the next page; empty on the last one.
    pub next: String,
}

impl App {
    /// Returns a page of goals: at most the requested number and about 1 MiB, but at least one if there is any.
    #[boxed]
    pub async fn list_goals(&self, user: &UserId, input: ListGoalsInput) -> Result<GoalPage> {
        let limit = input.page.limit()?;
        let scope = Scope::new("goal.list", user, &input.status)?;
        let after: Option<(Timestamp, GoalId)> = scope.key(&input.page.token)?;
        let status = input.status;
        let read =
            self.vaults.read(user, move |reader| Box::pin(async move { reader.goals(status, after, limit + 1).await }));
        let mut goals = read.await?;
        let fitting = fitting(&goals).min(limit);
        let more = goals.len() > fitting;
        goals.truncate(fitting);
        let next = match goals.last().filter(|_| more) {
            Some(last) => scope.token(&(last.created_at, last.id))?,
            None => String::new(),
        };
        Ok(GoalPage { goals, next })
    }
}

/// Returns how many goals fit on a page by their bytes, at least one.
fn fitting(goals: &[Goal]) -> usize {
    let mut bytes = 0;
    let size = |goal: &Goal| {
        let draft = &goal.draft;
        draft.title.len() + draft.description.len() + draft.tags.iter().map(String::len).sum::<usize>()
    };
    let over = goals.iter().position(|goal| {
        bytes += size(goal);
        bytes > MAX_PAGE_BYTES
    });
    over.map_or(goals.len(), |at| at.max(1))
}
