//! Stores messages of a conversation.

use std::fmt::Write as _;

use kimberly_core::bounds as b;
use kimberly_core::conversation::Received;
use kimberly_proto::v1::{self, MessageOutcome as Outcome};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tonic::Status;

use super::{Does, Tool, time};
use crate::convert::enums::WireEnum;
use crate::mcp::answer::Answer;
use crate::mcp::call::Call;
use crate::mcp::schema::{Schema, Schemas, described};

pub(super) struct Observe;

described! {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    pub(super) struct Input {
        /// The conversation's own id: the same for all of it, and another one for the next.
        session_id: String where length(1..=b::MAX_SESSION_ID_BYTES),
        /// The messages, oldest first: the last few, or all so far. Stored messages are not stored again.
        messages: Vec<Message> where length(1..=b::MAX_BATCH),
    }

    #[derive(Serialize)]
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
}

/// A message, as APIs of language models write it. `Received` reads it.
#[derive(Deserialize)]
struct Message(Value);

impl Schema for Message {
    fn schema(schemas: &mut Schemas) -> Value {
        let words = json!({
            "description": "The words of a message.",
            "anyOf": [
                {"description": "A text.", "type": "string"},
                {"description": r#"Blocks such as {"type": "text", "text": "..."}."#, "type": "array", "items": true},
            ],
        });
        let words = schemas.named("Content", words);
        let optional = |about: &str| json!({"description": about, "type": ["string", "null"]});
        let bounded = |about: &str, most: usize| {
            let mut schema = optional(about);
            schema["maxLength"] = json!(most);
            schema
        };
        let speakers = "The speaker: user, assistant, tool or system; human, ai, model, function and developer are \
            known, too.";
        let message = json!({
            "description": "A message, as APIs of language models write it; other fields are ignored.",
            "type": "object",
            "properties": {
                "role": {"description": speakers, "type": "string"},
                "content": {
                    "description": "The words, verbatim: a text, a list of blocks with texts, or null.",
                    "anyOf": [words, {"type": "null"}],
                },
                "id": bounded("Your id of the message, if it has one.", b::MAX_MESSAGE_ID_BYTES),
                "name": bounded("The speaker's name, if the role does not say it.", b::MAX_SPEAKER_BYTES),
                "time": optional("When it was said, if not now, such as 2026-05-04T18:30:00Z."),
            },
            "required": ["role"],
        });
        schemas.named("Message", message)
    }
}

impl Tool for Observe {
    const NAME: &'static str = "observe";
    const TITLE: &'static str = "Store a conversation";
    const DESCRIPTION: &'static str = "Store the conversation itself, verbatim: call it with the messages since the \
        last call, or with all of them. Nothing is stored twice, nor what this memory told you. For a single fact \
        that matters, use `remember`.";
    const DOES: Does = Does::AddsOnce;
    const LEAVES_OUT: &'static str = "messages";
    type Input = Input;
    type Output = Output;

    async fn run(call: &Call, input: Input) -> Result<Answer<Output>, Status> {
        let messages = input.messages.iter().map(|one| message(Received::read(&one.0))).collect();
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
