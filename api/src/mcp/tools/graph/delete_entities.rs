//! Deletes entities and the relations to them from recall. The bound is low, so that a mistaken or misled model deletes
//! few.

use kimberly_core::entities::Card;
use kimberly_proto::v1;
use serde::{Deserialize, Serialize};
use tonic::Status;

use super::{Does, MAX_NAME, MOST_DELETED, Tool, fits, store};
use crate::mcp::answer::Answer;
use crate::mcp::call::Call;
use crate::mcp::schema::described;

pub(in crate::mcp::tools) struct DeleteEntities;

described! {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    #[serde(rename_all = "camelCase")]
    pub(in crate::mcp::tools) struct Input {
        /// Names of the entities.
        entity_names: Vec<String> where length(1..=MOST_DELETED) items(1..=MAX_NAME),
    }

    #[derive(Serialize)]
    pub(in crate::mcp::tools) struct Output {
        /// Ids of the records, which `kimberly restore` can restore within the grace window; missing ones are skipped.
        deleted: Vec<String>,
    }
}

impl Tool for DeleteEntities {
    const NAME: &'static str = "delete_entities";
    const TITLE: &'static str = "Delete entities";
    const DESCRIPTION: &'static str = "Remove entities from recall, at most ten at a time, with their relations, and \
        those of the newest thousand to them. Only when the person asks for it or they were a mistake. They can be \
        restored within the grace window.";
    const DOES: Does = Does::Changes;
    type Input = Input;
    type Output = Output;

    async fn run(call: &Call, input: Input) -> Result<Answer<Output>, Status> {
        let names = input.entity_names;
        fits("entityNames", &names, MOST_DELETED)?;
        let mut deleted = Vec::new();
        for name in &names {
            if let Some(stored) = store::read(call, name).await? {
                let (user_id, id) = (call.user.clone(), stored.id);
                let request = v1::DeleteMemoryRequest { user_id, id: id.clone(), ..Default::default() };
                call.memories().delete_memory(call.request(request)).await?;
                deleted.push(id);
            }
        }
        for card in store::all(call).await?.0 {
            let mut left = card.clone();
            if names.iter().filter(|name| left.untie_all(name)).count() > 0 {
                let untie = |card: &mut Card| Ok(names.iter().filter(|name| card.untie_all(name)).count());
                store::change(call, &card.name, untie).await?;
            }
        }
        Ok(Answer::of_data(Output { deleted }))
    }
}
