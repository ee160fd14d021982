//! Lists runs, newest first.

use super::App;
use super::page::{PageRequest, Scope};
use crate::boxed;
use crate::error::Result;
use crate::ids::UserId;
use crate::meditation::Meditation;

/// A page of runs.
#[derive(Clone, Debug, PartialEq)]
pub struct MeditationsPage {
    /// The runs, newest first.
    pub meditations: Vec<Meditation>,
    /// Token of the next page; empty on the last one.
    pub next: String,
}

impl App {
    /// Returns a page of runs; 50 if no size is given.
    #[boxed]
    pub async fn list_meditations(&self, user: &UserId, page: &PageRequest) -> Result<MeditationsPage> {
        let limit = page.limit()?;
        let scope = Scope::new("meditation.list", user, &())?;
        let after = scope.key(&page.token)?;
        let read =
            self.vaults.read(user, move |reader| Box::pin(async move { reader.meditations(after, limit + 1).await }));
        let mut meditations = read.await?;
        let more = meditations.len() > limit;
        meditations.truncate(limit);
        let next = match meditations.last().filter(|_| more) {
            Some(last) => scope.token(&last.id)?,
            None => String::new(),
        };
        Ok(MeditationsPage { meditations, next })
    }
}
