//! Asks the models, if there are any, to help a recall that asks for it: the language model for other words for the
//! query before the search, it or the cross-encoder for the order of the results. No reader of a vault is held meanwhile.

use std::sync::Arc;

use super::around::Around;
use super::input::CheckedQuery;
use super::output::QueryOutput;
use super::rerank::rerank;
use super::search::last_turns;
use crate::error::Result;
use crate::ids::UserId;
use crate::memory::MemoryFilter;
use crate::ports::{LanguageModel, Task};
use crate::recall::Stage;
use crate::recall::by_model::{Asked, MOST_SUBJECTS, Without};
use crate::usecases::App;
use crate::usecases::graph::ListEntitiesInput;
use crate::usecases::page::PageRequest;

/// The model to ask, if there is one, and the user that it is asked for.
pub(super) type Asking<'a> = (Option<&'a dyn LanguageModel>, &'a UserId);

impl App {
    /// Recalls, with the help of models where the query asks for it and they answer.
    pub(super) async fn recall_with_model(
        &self,
        user: &UserId,
        mut query: CheckedQuery,
        filter: MemoryFilter,
    ) -> Result<QueryOutput> {
        let (text, plan) = (query.text.clone(), query.plan);
        let asking = (self.language_model.as_deref(), user);
        if plan.on(Stage::Alternatives) {
            query.alternatives = match self.around_query(user, &query, &filter).await {
                Ok(asked) => alternatives(asking, &asked).await,
                Err(without) => Err(without),
            };
        }
        let mut output = self.recall(user, query, filter).await?;
        if plan.on(Stage::Rerank) {
            let ranked = rerank(self.cross_encoder.as_deref(), asking, &text, &mut output.results).await;
            if let Some(did) = output.stages.iter_mut().find(|did| did.stage == Stage::Rerank) {
                did.note = ranked.unwrap_or_else(|without| without.to_string());
            }
        }
        Ok(output)
    }

    /// Returns a query with what the model sees beside it, limited to what the caller may see and the filter lets through.
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
        // Turns that cannot be read are left out.
        let turns = turns.await.unwrap_or_default();
        Ok(Asked { query: query.text.clone(), turns, subjects: self.subjects(user, filter).await })
    }

    /// Returns names that the vault knows, most salient first. Sensitive memories are no evidence of names.
    async fn subjects(&self, user: &UserId, filter: &MemoryFilter) -> Vec<String> {
        let page = PageRequest { size: i32::try_from(MOST_SUBJECTS).unwrap_or_default(), ..PageRequest::default() };
        let input = ListEntitiesInput { namespaces: filter.namespaces.clone(), page, ..ListEntitiesInput::default() };
        let known = self.list_entities(user, input).await;
        known.map(|known| known.entities.into_iter().map(|entity| entity.name).collect()).unwrap_or_default()
    }

    /// Returns what a search uses besides the query.
    pub(super) fn around(&self, user: &UserId) -> Around {
        Around {
            user: user.clone(),
            cache: self.sessions.clone(),
            documents: self.documents.clone(),
            graphs: self.graphs.clone(),
            semantic: self.semantic.clone(),
            defaults: Arc::clone(&self.defaults),
            now: self.clock.now(),
        }
    }
}

/// Asks for other words for a query.
async fn alternatives(asking: Asking<'_>, asked: &Asked) -> std::result::Result<Vec<String>, Without> {
    ask(asking, &asked.task(), |answer| asked.alternatives(answer)).await
}

/// Asks the language model, and reads its answer.
pub(super) async fn ask<T>(
    (model, user): Asking<'_>,
    task: &Task,
    read: impl FnOnce(&str) -> Option<T>,
) -> std::result::Result<T, Without> {
    let answer = model.ok_or(Without::NoModel)?.answer(user, task).await.map_err(Without::NoAnswer)?;
    read(&answer).ok_or(Without::Unusable)
}
