//! Stores entities.

use serde::{Deserialize, Serialize};
use tonic::Status;

use super::{Does, MOST, Node, Tool, fits, store};
use crate::mcp::answer::Answer;
use crate::mcp::call::Call;
use crate::mcp::schema::described;

pub(in crate::mcp::tools) struct CreateEntities;

described! {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    pub(in crate::mcp::tools) struct Input {
        /// The entities.
        entities: Vec<Node> where length(1..=MOST),
    }

    #[derive(Serialize)]
    pub(in crate::mcp::tools) struct Output {
        /// The new ones. Existing ones stay unchanged.
        entities: Vec<Node>,
    }
}

impl Tool for CreateEntities {
    const NAME: &'static str = "create_entities";
    const TITLE: &'static str = "Create entities";
    const DESCRIPTION: &'static str = "Store people, organizations, places, projects or events, each with a name, a \
        type and observations. Existing entities stay unchanged: use add_observations.";
    const DOES: Does = Does::AddsOnce;
    type Input = Input;
    type Output = Output;

    async fn run(call: &Call, input: Input) -> Result<Answer<Output>, Status> {
        fits("entities", &input.entities, MOST)?;
        let mut cards = Vec::with_capacity(input.entities.len());
        for node in input.entities {
            let mut card = store::card(&node.name, &node.entity_type)?;
            for text in &node.observations {
                card.observe(text);
            }
            cards.push(card);
        }
        let mut entities = Vec::new();
        for card in cards {
            if store::add(call, &card).await? {
                let (name, entity_type, observations) = (card.name, card.entity_type, card.observations);
                entities.push(Node { name, entity_type, observations });
            }
        }
        Ok(Answer::of_data(Output { entities }))
    }
}
