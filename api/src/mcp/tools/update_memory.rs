//! Changes one memory.

use kimberly_core::bounds as b;
use kimberly_proto::v1;
use prost_types::FieldMask;
use serde::{Deserialize, Serialize};
use tonic::Status;

use super::item::Tier;
use super::{Does, MAX_TIME_BYTES, Tool, invalid, time, told};
use crate::mcp::answer::Answer;
use crate::mcp::call::Call;
use crate::mcp::schema::described;

pub(super) struct UpdateMemory;

described! {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    pub(super) struct Input {
        /// The memory's id, as recall gave it.
        id: String where length(1..=b::MAX_ID_BYTES),
        /// Its new text.
        content: Option<String> where length(1..=b::ABSOLUTE_MAX_CONTENT_BYTES),
        /// Its tags from now on, all of them.
        tags: Option<Vec<String>> where length(0..=b::MAX_TAGS) items(1..=b::MAX_TAG_BYTES),
        /// Its tier.
        tier: Option<Tier>,
        /// When it happened, such as 2026-05-04.
        occurred_at: Option<String> where length(0..=MAX_TIME_BYTES),
    }

    #[derive(Serialize)]
    pub(super) struct Output {
        /// The memory's id.
        id: String,
        /// When it was changed.
        updated_at: String,
    }
}

impl Tool for UpdateMemory {
    const NAME: &'static str = "update_memory";
    const TITLE: &'static str = "Change one memory";
    const DESCRIPTION: &'static str = "Correct or complete one memory, or change its tags. Give only the changes: the \
        rest stays. The old content is replaced, so use it if the memory was wrong or badly worded, and remember a \
        new one if the world has changed.";
    const DOES: Does = Does::Changes;
    type Input = Input;
    type Output = Output;

    async fn run(call: &Call, input: Input) -> Result<Answer<Output>, Status> {
        let named = [
            (input.content.is_some(), "content"),
            (input.tags.is_some(), "metadata.tags"),
            (input.tier.is_some(), "tier"),
            (input.occurred_at.is_some(), "occurred_at"),
        ];
        let paths: Vec<String> = named.iter().filter(|(named, _)| *named).map(|(_, path)| (*path).to_owned()).collect();
        if paths.is_empty() {
            return Err(invalid("arguments", "change nothing; give content, tags, tier or occurred_at"));
        }
        let memory = v1::MemoryDraft {
            content: input.content.unwrap_or_default(),
            metadata: input.tags.map(|tags| v1::Metadata { tags, ..v1::Metadata::default() }),
            tier: v1::Tier::from(input.tier.unwrap_or_default()).into(),
            occurred_at: time("occurred_at", &input.occurred_at.unwrap_or_default())?,
            ..v1::MemoryDraft::default()
        };
        let request = v1::UpdateMemoryRequest {
            user_id: call.user.clone(),
            id: input.id,
            memory: Some(memory),
            update_mask: Some(FieldMask { paths }),
            ..v1::UpdateMemoryRequest::default()
        };
        let answer = call.memories().update_memory(call.request(request)).await?.into_inner();
        let receipt = answer.receipt.unwrap_or_default();
        let text = format!("Changed {}.", receipt.id);
        Ok(Answer::new(text, Output { id: receipt.id, updated_at: told(receipt.updated_at) }))
    }
}
