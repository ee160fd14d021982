//! Removes relations between entities.

use serde::Serialize;
use tonic::Status;

use super::{Does, MOST, Relations, Tool, fits, store};
use crate::mcp::answer::Answer;
use crate::mcp::call::Call;
use crate::mcp::schema::described;

pub(in crate::mcp::tools) struct DeleteRelations;

described! {
    #[derive(Serialize)]
    pub(in crate::mcp::tools) struct Output {
        /// The number retracted; missing ones are skipped.
        deleted: usize,
    }
}

impl Tool for DeleteRelations {
    const NAME: &'static str = "delete_relations";
    const TITLE: &'static str = "Take back relations";
    const DESCRIPTION: &'static str =
        "Remove relations between entities. The person can undo it: the entity's record has versions.";
    const DOES: Does = Does::Changes;
    type Input = Relations;
    type Output = Output;

    async fn run(call: &Call, input: Relations) -> Result<Answer<Output>, Status> {
        fits("relations", &input.relations, MOST)?;
        let mut deleted = 0;
        for relation in input.relations {
            let untie =
                store::change(call, &relation.from, |card| Ok(card.untie(&relation.relation_type, &relation.to)));
            deleted += usize::from(untie.await? == Some(true));
        }
        Ok(Answer::of_data(Output { deleted }))
    }
}
