//! Stores messages of a conversation.

use kimberly_core::bounds as b;
use kimberly_proto::v1::{self, MessageOutcome as Outcome};
use rmcp::schemars::{self, JsonSchema};
use serde::{Deserialize, Serialize};
use tonic::Status;

use super::{Does, Tool, time};
use crate::mcp::answer::Answer;
use crate::mcp::call::Call;

pub(super) struct Observe;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// The conversation's own id: the same for all of it, and another one for the next.
    #[schemars(length(min = 1, max = b::MAX_SESSION_ID_BYTES))]
    session_id: String,
    /// The messages, oldest first: the last few, or all so far. Stored messages are not stored again.
    #[schemars(length(min = 1, max = b::MAX_BATCH))]
    messages: Vec<Message>,
}

/// A message.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Message {
    /// The speaker.
    role: Role,
    /// The words, verbatim.
    content: String,
    /// Your id of the message, if it has one.
    #[serde(default)]
    #[schemars(length(max = b::MAX_MESSAGE_ID_BYTES))]
    id: String,
    /// The speaker's name, if the role does not say it.
    #[serde(default)]
    #[schemars(length(max = b::MAX_SPEAKER_BYTES))]
    name: String,
    /// When it was said, if not now, such as 2026-05-04T18:30:00Z.
    #[serde(default)]
    time: String,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Role {
    User,
    Assistant,
    Tool,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Output {
    /// The number of newly stored messages.
    stored: usize,
    /// The number of messages stored already.
    duplicates: usize,
    /// The number not stored: empty messages, and repetitions of this memory's own output.
    skipped: usize,
}

impl Tool for Observe {
    const NAME: &'static str = "observe";
    const TITLE: &'static str = "Store a conversation";
    const DESCRIPTION: &'static str = "Store the conversation itself, verbatim: call it with the messages since the \
        last call, or with all of them. Nothing is stored twice, nor what this memory told you. For a single fact \
        that matters, use `remember`.";
    const DOES: Does = Does::Adds;
    type Input = Input;
    type Output = Output;

    async fn run(call: &Call, input: Input) -> Result<Answer<Output>, Status> {
        let messages = input.messages.into_iter().enumerate();
        let messages = messages.map(|(index, one)| one.message(index)).collect::<Result<_, Status>>()?;
        let request = v1::ObserveRequest {
            user_id: call.user.clone(),
            session_id: input.session_id,
            messages,
            ..v1::ObserveRequest::default()
        };
        let answer = call.conversations().observe(call.request(request)).await?.into_inner();
        let count = |outcome| answer.messages.iter().filter(|one| one.outcome() == outcome).count();
        let (stored, duplicates) = (count(Outcome::Stored), count(Outcome::Duplicate));
        let skipped = answer.messages.len() - stored - duplicates;
        let text = format!("{stored} stored, {duplicates} stored before, {skipped} skipped.");
        Ok(Answer::new(text, Output { stored, duplicates, skipped }))
    }
}

impl Message {
    fn message(self, index: usize) -> Result<v1::Message, Status> {
        let role = match self.role {
            Role::User => v1::Role::User,
            Role::Assistant => v1::Role::Assistant,
            Role::Tool => v1::Role::Tool,
        };
        Ok(v1::Message {
            id: self.id,
            role: role.into(),
            content: self.content,
            name: self.name,
            time: time(&format!("messages[{index}].time"), &self.time)?,
            ..v1::Message::default()
        })
    }
}
