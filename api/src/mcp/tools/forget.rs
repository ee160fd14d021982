//! Deletes one memory from recall. Never several, so that a mistaken or misled model forgets only one.

use kimberly_proto::v1;
use rmcp::schemars::{self, JsonSchema};
use serde::{Deserialize, Serialize};
use tonic::Status;

use super::{Does, Tool, told};
use crate::mcp::answer::Answer;
use crate::mcp::call::Call;

pub(super) struct Forget;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// The memory's id, as recall gave it.
    id: String,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Output {
    /// The memory's id.
    id: String,
    /// Until when it can be restored; it is erased then. Absent if it cannot be.
    #[serde(skip_serializing_if = "Option::is_none")]
    restorable_until: Option<String>,
}

impl Tool for Forget {
    const NAME: &'static str = "forget";
    const TITLE: &'static str = "Forget one memory";
    const DESCRIPTION: &'static str = "Remove one memory from recall, because the person asks for it or it was a \
        mistake. Recall first to be sure of the id. Returns until when it can be restored; after that it is erased \
        permanently. To correct one, remember what is true and forget the other.";
    const DOES: Does = Does::Changes;
    type Input = Input;
    type Output = Output;

    async fn run(call: &Call, input: Input) -> Result<Answer<Output>, Status> {
        let request =
            v1::DeleteMemoryRequest { user_id: call.user.clone(), id: input.id.clone(), ..Default::default() };
        let answer = call.memories().delete_memory(call.request(request)).await?.into_inner();
        let receipt = answer.receipt.unwrap_or_default();
        // If the user's settings grant no grace time, the next meditation erases it.
        let until = receipt.delete_after.filter(|until| Some(*until) != receipt.updated_at);
        let text = match until {
            Some(until) => format!("Forgotten. Until {until} the person can restore it: kimberly restore {}", input.id),
            None => "Forgotten. It cannot be restored, and is erased.".to_owned(),
        };
        let restorable_until = until.map(|until| told(Some(until)));
        Ok(Answer::new(text, Output { id: input.id, restorable_until }))
    }
}
