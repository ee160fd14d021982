//! Removes observations from entities.

use serde::{Deserialize, Serialize};
use tonic::Status;

use super::{Does, MAX_NAME, MAX_OBSERVATION, MOST, Tool, fits, store};
use crate::mcp::answer::Answer;
use crate::mcp::call::Call;
use crate::mcp::schema::described;

pub(in crate::mcp::tools) struct DeleteObservations;

described! {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    pub(in crate::mcp::tools) struct Input {
        /// The observations to retract, by entity.
        deletions: Vec<Deletion> where length(1..=MOST),
    }

    /// The observations to retract of an entity.
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Deletion {
        /// The entity's name.
        entity_name: String where length(1..=MAX_NAME),
        /// The observations, verbatim.
        observations: Vec<String> where length(0..=MOST) items(0..=MAX_OBSERVATION),
    }

    #[derive(Serialize)]
    pub(in crate::mcp::tools) struct Output {
        /// The number retracted; missing ones are skipped.
        deleted: usize,
    }
}

impl Tool for DeleteObservations {
    const NAME: &'static str = "delete_observations";
    const TITLE: &'static str = "Take back observations";
    const DESCRIPTION: &'static str = "Remove observations of entities, given verbatim. The person can undo it: the \
        entity's record has versions.";
    const DOES: Does = Does::Changes;
    type Input = Input;
    type Output = Output;

    async fn run(call: &Call, input: Input) -> Result<Answer<Output>, Status> {
        fits("deletions", &input.deletions, MOST)?;
        let mut deleted = 0;
        for Deletion { entity_name, observations } in input.deletions {
            let gone = store::change(call, &entity_name, |card| {
                Ok(observations.iter().filter(|text| card.unobserve(text)).count())
            });
            deleted += gone.await?.unwrap_or_default();
        }
        Ok(Answer::of_data(Output { deleted }))
    }
}
