//! Changes one memory.

use kimberly_core::bounds as b;
use kimberly_proto::v1;
use prost_types::FieldMask;
use serde::{Deserialize, Serialize};
use tonic::{Code, Status};

use super::correct::{Correction, correct};
use super::item::{Item, Tier};
use super::{Does, MAX_TIME_BYTES, Tool, invalid, time, told};
use crate::mcp::answer::Answer;
use crate::mcp::call::Call;
use crate::mcp::schema::described;

/// The path of the content in a mask.
const CONTENT: &str = "content";

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
        /// The memory's id; a new one if it was corrected.
        id: String,
        /// When it was changed.
        updated_at: String,
        /// What no longer holds, if the memory was learned from a conversation and so was corrected.
        ended: Vec<Item>,
    }
}

impl Tool for UpdateMemory {
    const NAME: &'static str = "update_memory";
    const TITLE: &'static str = "Change one memory";
    const DESCRIPTION: &'static str = "Complete or reword one memory, or change its tags. Give only the changes: the \
        rest stays. The old content of a note is replaced. What was learned from a conversation is corrected: a new \
        memory holds instead. If the world has changed, use `correct`.";
    const DOES: Does = Does::Changes;
    type Input = Input;
    type Output = Output;

    async fn run(call: &Call, input: Input) -> Result<Answer<Output>, Status> {
        let named = [
            (input.content.is_some(), CONTENT),
            (input.tags.is_some(), "metadata.tags"),
            (input.tier.is_some(), "tier"),
            (input.occurred_at.is_some(), "occurred_at"),
        ];
        let mut paths: Vec<String> =
            named.iter().filter(|(named, _)| *named).map(|(_, path)| (*path).to_owned()).collect();
        if paths.is_empty() {
            return Err(invalid("arguments", "change nothing; give content, tags, tier or occurred_at"));
        }
        let occurred_at = time("occurred_at", &input.occurred_at.unwrap_or_default())?;
        let (mut id, mut corrected) = (input.id, None);
        if let Some(content) = &input.content
            && is_learned(call, &id).await?
        {
            let correction = correct(call, &id, content, "").await?;
            id.clone_from(&correction.receipt.id);
            paths.retain(|path| path != CONTENT);
            corrected = Some(correction);
        }
        let mut receipt = corrected.as_ref().map(|one| one.receipt.clone()).unwrap_or_default();
        if !paths.is_empty() {
            let memory = v1::MemoryDraft {
                content: input.content.unwrap_or_default(),
                metadata: input.tags.map(|tags| v1::Metadata { tags, ..v1::Metadata::default() }),
                tier: v1::Tier::from(input.tier.unwrap_or_default()).into(),
                occurred_at,
                ..v1::MemoryDraft::default()
            };
            let request = v1::UpdateMemoryRequest {
                user_id: call.user.clone(),
                id,
                memory: Some(memory),
                update_mask: Some(FieldMask { paths }),
                ..v1::UpdateMemoryRequest::default()
            };
            receipt =
                call.memories().update_memory(call.request(request)).await?.into_inner().receipt.unwrap_or_default();
        }
        let text = corrected.as_ref().map_or_else(|| format!("Changed {}.", receipt.id), Correction::text);
        let ended = corrected.map(|one| one.ended).unwrap_or_default();
        Ok(Answer::new(text, Output { id: receipt.id, updated_at: told(receipt.updated_at), ended }))
    }
}

/// Reports whether a memory was learned from a message. Of a caller that may not read, none was.
async fn is_learned(call: &Call, id: &str) -> Result<bool, Status> {
    let request = v1::ListLinksRequest {
        user_id: call.user.clone(),
        id: id.to_owned(),
        direction: v1::LinkDirection::Out.into(),
        relations: vec![v1::Relation::DerivedFrom.into()],
        ..v1::ListLinksRequest::default()
    };
    match call.links().list_links(call.request(request)).await {
        Ok(links) => Ok(links.into_inner().links.iter().any(|link| link.end_byte > link.start_byte)),
        Err(status) if status.code() == Code::PermissionDenied => Ok(false),
        Err(status) => Err(status),
    }
}
