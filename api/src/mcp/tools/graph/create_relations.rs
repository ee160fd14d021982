//! Stores relations between entities.

use kimberly_core::entities::Card;
use serde::Serialize;
use tonic::Status;

use super::{Does, Edge, MOST, Relations, Tool, fits, invalid, store, unknown};
use crate::mcp::answer::Answer;
use crate::mcp::call::Call;
use crate::mcp::schema::described;

pub(in crate::mcp::tools) struct CreateRelations;

described! {
    #[derive(Serialize)]
    pub(in crate::mcp::tools) struct Output {
        /// The new ones.
        relations: Vec<Edge>,
    }
}

impl Tool for CreateRelations {
    const NAME: &'static str = "create_relations";
    const TITLE: &'static str = "Relate entities";
    const DESCRIPTION: &'static str = "Store relations between entities, in active voice, such as Ana works_at Acme. \
        The first entity must exist. Existing relations are not stored twice.";
    const DOES: Does = Does::AddsOnce;
    type Input = Relations;
    type Output = Output;

    async fn run(call: &Call, input: Relations) -> Result<Answer<Output>, Status> {
        fits("relations", &input.relations, MOST)?;
        let mut relations = Vec::new();
        for relation in input.relations {
            let Edge { from, to, relation_type } = &relation;
            let tie = |card: &mut Card| card.tie(relation_type, to).map_err(|problem| invalid("relations", problem));
            match store::change(call, from, tie).await? {
                Some(true) => relations.push(relation),
                Some(false) => {}
                None => return Err(unknown(from)),
            }
        }
        Ok(Answer::of_data(Output { relations }))
    }
}
