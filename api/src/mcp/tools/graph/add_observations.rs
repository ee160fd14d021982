//! Adds observations to entities.

use serde::{Deserialize, Serialize};
use tonic::Status;

use super::{Does, MAX_NAME, MAX_OBSERVATION, MOST, Tool, fits, store, unknown};
use crate::mcp::answer::Answer;
use crate::mcp::call::Call;
use crate::mcp::schema::described;

pub(in crate::mcp::tools) struct AddObservations;

described! {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    pub(in crate::mcp::tools) struct Input {
        /// The observations, by entity.
        observations: Vec<Observed> where length(1..=MOST),
    }

    /// The observations of an entity.
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Observed {
        /// The entity's name.
        entity_name: String where length(1..=MAX_NAME),
        /// Its observations, one fact each.
        contents: Vec<String> where length(0..=MOST) items(0..=MAX_OBSERVATION),
    }

    #[derive(Serialize)]
    pub(in crate::mcp::tools) struct Output {
        /// The added observations, by entity.
        results: Vec<Added>,
    }

    /// The observations added to an entity.
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Added {
        /// The entity's name.
        entity_name: String,
        /// The new items.
        added_observations: Vec<String>,
    }
}

impl Tool for AddObservations {
    const NAME: &'static str = "add_observations";
    const TITLE: &'static str = "Add observations";
    const DESCRIPTION: &'static str = "Add observations to existing entities, one fact each. Nothing is stored twice. \
        Returns the new ones.";
    const DOES: Does = Does::AddsOnce;
    type Input = Input;
    type Output = Output;

    async fn run(call: &Call, input: Input) -> Result<Answer<Output>, Status> {
        fits("observations", &input.observations, MOST)?;
        let mut results = Vec::new();
        for Observed { entity_name, contents } in input.observations {
            let added = store::change(call, &entity_name, |card| {
                Ok(contents.iter().filter_map(|text| card.observe(text)).collect())
            });
            let added_observations = added.await?.ok_or_else(|| unknown(&entity_name))?;
            results.push(Added { entity_name, added_observations });
        }
        Ok(Answer::of_data(Output { results }))
    }
}
