//! Reads one run and its decisions.

use super::App;
use super::page::{PageRequest, Scope};
use crate::boxed;
use crate::error::{Entity, Error, Result};
use crate::ids::{MeditationId, UserId};
use crate::meditation::{Meditation, RecordedDecision};

/// Default number of decisions on a page.
const DEFAULT_DECISIONS: usize = 100;

/// A run with a page of its decisions.
#[derive(Clone, Debug, PartialEq)]
pub struct MeditationPage {
    /// The run.
    pub meditation: Meditation,
    /// Its decisions, in order.
    pub decisions: Vec<RecordedDecision>,
    /// Token of the next page of decisions; empty on the last one.
    pub next: String,
}

impl App {
    /// Returns a run and a page of its decisions; 100 if no size is given.
    #[boxed]
    pub async fn get_meditation(&self, user: &UserId, id: MeditationId, page: &PageRequest) -> Result<MeditationPage> {
        let limit = page.limit_or(DEFAULT_DECISIONS)?;
        let scope = Scope::new("meditation.get", user, &id)?;
        let after: u64 = scope.key(&page.token)?.unwrap_or(0);
        let (meditation, mut decisions) = self.meditation_since(user, id, after, limit + 1).await?;
        let more = decisions.len() > limit;
        decisions.truncate(limit);
        let next = match decisions.last().filter(|_| more) {
            Some(last) => scope.token(&last.position)?,
            None => String::new(),
        };
        Ok(MeditationPage { meditation, decisions, next })
    }

    /// Returns a run, and at most `limit` of its decisions with a position above `after`, both from one snapshot.
    /// Serves to watch a run and to read further pages.
    #[boxed]
    pub async fn meditation_since(
        &self,
        user: &UserId,
        id: MeditationId,
        after: u64,
        limit: usize,
    ) -> Result<(Meditation, Vec<RecordedDecision>)> {
        let read = self.vaults.read(user, move |reader| {
            Box::pin(async move {
                let missing = || Error::NotFound { entity: Entity::Meditation, id: id.to_string() };
                let meditation = reader.meditation(id).await?.ok_or_else(missing)?;
                Ok((meditation, reader.decisions(id, after, limit).await?))
            })
        });
        read.await
    }
}
