//! Stores messages of a conversation.

use std::fmt::Write as _;

use kimberly_core::bounds as b;
use kimberly_core::conversation::Received;
use kimberly_proto::v1::{self, MessageOutcome as Outcome};
use rmcp::schemars::{self, JsonSchema};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tonic::Status;

use super::{Does, Tool, time};
use crate::convert::enums::WireEnum;
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
    #[schemars(length(min = 1, max = b::MAX_BATCH), with = "Vec<Message>")]
    messages: Vec<Value>,
}

/// A message, as APIs of language models write it; other fields are ignored.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "describes what `Received` reads")]
struct Message {
    /// The speaker: user, assistant, tool or system; human, ai, model, function and developer are known, too.
    role: String,
    /// The words, verbatim: a text, a list of blocks with texts, or null.
    content: Option<Content>,
    /// Your id of the message, if it has one.
    #[schemars(length(max = b::MAX_MESSAGE_ID_BYTES))]
    id: Option<String>,
    /// The speaker's name, if the role does not say it.
    #[schemars(length(max = b::MAX_SPEAKER_BYTES))]
    name: Option<String>,
    /// When it was said, if not now, such as 2026-05-04T18:30:00Z.
    time: Option<String>,
}

/// The words of a message.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "describes what `Received` reads")]
enum Content {
    /// A text.
    Text(String),
    /// Blocks such as {"type": "text", "text": "..."}.
    Blocks(Vec<Value>),
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Output {
    /// The number of newly stored messages.
    stored: usize,
    /// The number of messages stored already.
    duplicates: usize,
    /// The number not stored: empty messages, instructions, and repetitions of this memory's own output.
    skipped: usize,
    /// What is wrong with messages that were left out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    problems: Vec<String>,
}

impl Tool for Observe {
    const NAME: &'static str = "observe";
    const TITLE: &'static str = "Store a conversation";
    const DESCRIPTION: &'static str = "Store the conversation itself, verbatim: call it with the messages since the \
        last call, or with all of them. Nothing is stored twice, nor what this memory told you. For a single fact \
        that matters, use `remember`.";
    const DOES: Does = Does::AddsOnce;
    type Input = Input;
    type Output = Output;

    async fn run(call: &Call, input: Input) -> Result<Answer<Output>, Status> {
        let messages = input.messages.iter().map(|one| message(Received::read(one))).collect();
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
        let problems: Vec<String> =
            answer.messages.into_iter().map(|one| one.problem).filter(|problem| !problem.is_empty()).collect();
        let mut text = format!("{stored} stored, {duplicates} stored before, {skipped} skipped.");
        for problem in &problems {
            let _ = write!(text, "\nLeft out: {problem}");
        }
        Ok(Answer::new(text, Output { stored, duplicates, skipped, problems }))
    }
}

fn message(received: Received) -> v1::Message {
    // Times come out of `Received` in the form that this reads.
    let time = time("time", &received.time).ok().flatten();
    v1::Message {
        id: received.id,
        role: received.role.map_or(0, WireEnum::number),
        content: received.content,
        name: received.name,
        time,
        tool: received.tool,
        tool_call_id: received.tool_call_id,
        unreadable: received.unreadable,
        ..v1::Message::default()
    }
}
