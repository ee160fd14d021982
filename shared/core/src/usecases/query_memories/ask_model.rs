//! Has the language model put a query into other words before it is searched, where that is asked for and there is one. No reader of a
//! vault is held meanwhile.

use std::sync::Arc;

use super::QueryOutput;
use super::input::CheckedQuery;
use super::search::{Around, last_turns};
use crate::error::Result;
use crate::ids::UserId;
use crate::memory::MemoryFilter;
use crate::ports::{LanguageModel, Task};
use crate::recall::Stage;
use crate::recall::by_model::{Asked, MOST_SUBJECTS, Without};
use crate::usecases::App;
use crate::usecases::graph::ListEntitiesInput;
use crate::usecases::page::PageRequest;

/// What a model is to be asked, and for whom.
type Asking<'a> = (Option<&'a dyn LanguageModel>, &'a UserId);

impl App {
    /// Recalls, with the model's help as far as the query asks for it and the model answers.
    pub(super) async fn recall_with_model(
        &self,
        user: &UserId,
        mut query: CheckedQuery,
        filter: MemoryFilter,
    ) -> Result<QueryOutput> {
        let asking = (self.language_model.as_deref(), user);
        if query.plan.on(Stage::Alternatives) {
            query.alternatives = match self.around_query(user, &query, &filter).await {
                Ok(asked) => alternatives(asking, &asked).await,
                Err(without) => Err(without),
            };
        }
        self.recall(user, query, filter).await
    }

    /// A query with what the model sees beside it: of what the caller may see and the filter lets through.
    async fn around_query(
        &self,
        user: &UserId,
        query: &CheckedQuery,
        filter: &MemoryFilter,
    ) -> std::result::Result<Asked, Without> {
        if self.language_model.is_none() {
            return Err(Without::NoModel);
        }
        if !Asked::may_be_put_otherwise(&query.text) {
            return Err(Without::NotNeeded);
        }
        let asked = Arc::new((query.clone(), filter.clone(), self.around(user)));
        let turns = self.vaults.read(user, move |vault| {
            let asked = Arc::clone(&asked);
            Box::pin(async move { last_turns(vault, (&asked.0, &asked.1), &asked.2).await })
        });
        // What cannot be told is left out.
        let turns = turns.await.unwrap_or_default();
        Ok(Asked { query: query.text.clone(), turns, subjects: self.subjects(user, filter).await })
    }

    /// Names that the vault knows, the most salient first; nothing that is sensitive is evidence of one.
    async fn subjects(&self, user: &UserId, filter: &MemoryFilter) -> Vec<String> {
        let page = PageRequest { size: i32::try_from(MOST_SUBJECTS).unwrap_or_default(), ..PageRequest::default() };
        let input = ListEntitiesInput { namespaces: filter.namespaces.clone(), page, ..ListEntitiesInput::default() };
        let known = self.list_entities(user, input).await;
        known.map(|known| known.entities.into_iter().map(|entity| entity.name).collect()).unwrap_or_default()
    }

    /// Whose vault is searched, and with what besides it.
    pub(super) fn around(&self, user: &UserId) -> Around {
        Around {
            user: user.clone(),
            cache: self.sessions.clone(),
            documents: self.documents.clone(),
            semantic: self.semantic.clone(),
            defaults: Arc::clone(&self.defaults),
            now: self.clock.now(),
        }
    }
}

/// Other words for a query.
async fn alternatives(asking: Asking<'_>, asked: &Asked) -> std::result::Result<Vec<String>, Without> {
    ask(asking, &asked.task(), |answer| asked.alternatives(answer)).await
}

async fn ask<T>(
    (model, user): Asking<'_>,
    task: &Task,
    read: impl FnOnce(&str) -> Option<T>,
) -> std::result::Result<T, Without> {
    let answer = model.ok_or(Without::NoModel)?.answer(user, task).await.map_err(Without::NoAnswer)?;
    read(&answer).ok_or(Without::Unusable)
}
