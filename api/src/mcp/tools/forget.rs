//! Deletes one memory from recall. Never several, so that a mistaken or misled model forgets only one.

use kimberly_core::bounds as b;
use kimberly_proto::v1;
use serde::{Deserialize, Serialize};
use tonic::Status;

use super::{Does, Tool, has_reason, told};
use crate::mcp::answer::Answer;
use crate::mcp::call::Call;
use crate::mcp::schema::described;

pub(super) struct Forget;

described! {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    pub(super) struct Input {
        /// The memory's id, as recall gave it.
        id: String where length(1..=b::MAX_ID_BYTES),
    }

    #[derive(Serialize)]
    pub(super) struct Output {
        /// The memory's id.
        id: String,
        /// Until when it can be restored; it is erased then. Absent if it cannot be.
        #[serde(skip_serializing_if = "Option::is_none")]
        restorable_until: Option<String>,
        /// Ids of the copies of the same statement that were forgotten with it.
        also_forgotten: Vec<String>,
        /// Ids of messages that say more: the statement was struck from them.
        struck: Vec<String>,
        /// Ids of memories that still mention it and stay, such as documents.
        still_mentions: Vec<String>,
    }
}

impl Tool for Forget {
    const NAME: &'static str = "forget";
    const TITLE: &'static str = "Forget one memory";
    const DESCRIPTION: &'static str = "Remove one memory from recall, because the person asks for it or it was a \
         mistake, with all copies of the statement. Recall first to be sure of the id. Returns until when it can be \
         restored; after that it is erased permanently. If one is wrong or no longer true, `correct` it instead.";
    const DOES: Does = Does::Changes;
    type Input = Input;
    type Output = Output;

    async fn run(call: &Call, input: Input) -> Result<Answer<Output>, Status> {
        let request =
            v1::DeleteMemoryRequest { user_id: call.user.clone(), id: input.id.clone(), ..Default::default() };
        let mut went = v1::DeleteMemoryResponse::default();
        let until = match call.memories().delete_memory(call.request(request)).await {
            Ok(answer) => {
                went = answer.into_inner();
                let receipt = went.receipt.take().unwrap_or_default();
                // If the user's settings grant no grace time, the next meditation erases it.
                receipt.delete_after.filter(|until| Some(*until) != receipt.updated_at)
            }
            // A repeated call finds what it asks for.
            Err(status) if has_reason(&status, "WRONG_STATE") => {
                forgotten(call, &input.id).await?.ok_or(status)?.delete_after
            }
            Err(status) => return Err(status),
        };
        let text = match until {
            Some(until) => format!("Forgotten. Until {until} the person can restore it: kimberly restore {}", input.id),
            None => "Forgotten. It cannot be restored, and is erased.".to_owned(),
        };
        let text = text + &said(&went);
        let restorable_until = until.map(|until| told(Some(until)));
        Ok(Answer::new(
            text,
            Output {
                id: input.id,
                restorable_until,
                also_forgotten: went.also_forgotten,
                struck: went.struck,
                still_mentions: went.still_mentions,
            },
        ))
    }
}

/// Says what went with the memory, and what still mentions it.
fn said(went: &v1::DeleteMemoryResponse) -> String {
    let list = |lead: &str, ids: &[String]| {
        if ids.is_empty() { String::new() } else { format!("\n{lead} {}", ids.join(", ")) }
    };
    list("Copies of it were forgotten, too:", &went.also_forgotten)
        + &list("It was struck from messages that say more:", &went.struck)
        + &list("These still mention it and stay; tell the person:", &went.still_mentions)
}

/// Returns a memory that was forgotten before. `None` if it was not.
async fn forgotten(call: &Call, id: &str) -> Result<Option<v1::Memory>, Status> {
    let request =
        v1::GetMemoryRequest { user_id: call.user.clone(), id: id.to_owned(), explain: false, ..Default::default() };
    let memory = call.memories().get_memory(call.request(request)).await?.into_inner().memory;
    Ok(memory.filter(|memory| memory.state() == v1::MemoryState::Deleted))
}
