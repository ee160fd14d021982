//! Corrects one memory: another holds instead, and what said the wrong thing ends. Never several, as with `forget`.

use kimberly_core::bounds as b;
use kimberly_proto::v1;
use serde::{Deserialize, Serialize};
use tonic::{Code, Status};

use super::item::{Item, as_text};
use super::{Does, Tool, has_reason};
use crate::mcp::answer::Answer;
use crate::mcp::call::Call;
use crate::mcp::schema::described;

/// Maximum bytes of each content in a response.
const CONTENT_BYTES: usize = 500;
/// Most ended memories in a response.
const FIRST: i32 = 20;

pub(super) struct Correct;

described! {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    pub(super) struct Input {
        /// The id of the memory that is wrong or no longer true, as recall gave it.
        id: String where length(1..=b::MAX_ID_BYTES),
        /// What is true, as a sentence that stands alone.
        content: String where length(1..=b::ABSOLUTE_MAX_CONTENT_BYTES),
        /// Why, in a few words.
        #[serde(default)]
        reason: String where length(0..=b::MAX_LINK_EVIDENCE_BYTES),
    }

    #[derive(Serialize)]
    pub(super) struct Output {
        /// The id of the memory that holds now.
        id: String,
        /// What no longer holds: the memory, and what was learned from the same words.
        ended: Vec<Item>,
    }
}

/// A correction that was made.
pub(super) struct Correction {
    /// The receipt of the memory that holds now.
    pub(super) receipt: v1::MemoryReceipt,
    /// What no longer holds; empty for a caller that may not read.
    pub(super) ended: Vec<Item>,
}

impl Tool for Correct {
    const NAME: &'static str = "correct";
    const TITLE: &'static str = "Correct one memory";
    const DESCRIPTION: &'static str = "Replace one memory by what is true, because the person says that it is wrong or \
        no longer so. Recall first to be sure of the id. Takes effect at once: the old memory and the words that it \
        was learned from count as ended, and are still known as history. Returns what ended.";
    const DOES: Does = Does::Changes;
    type Input = Input;
    type Output = Output;

    async fn run(call: &Call, input: Input) -> Result<Answer<Output>, Status> {
        let done = match correct(call, &input.id, &input.content, &input.reason).await {
            // A repeated call finds what it asks for.
            Err(status) if has_reason(&status, "WRONG_STATE") => {
                repeated(call, &input.id, &input.content).await?.ok_or(status)?
            }
            done => done?,
        };
        Ok(Answer::new(done.text(), Output { id: done.receipt.id, ended: done.ended }))
    }
}

impl Correction {
    /// Says what holds and what ended.
    pub(super) fn text(&self) -> String {
        let lead = format!("Corrected: {} holds now.", self.receipt.id);
        if self.ended.is_empty() { lead } else { as_text(&format!("{lead} No longer true:"), &self.ended) }
    }
}

/// Corrects a memory.
pub(super) async fn correct(call: &Call, id: &str, content: &str, reason: &str) -> Result<Correction, Status> {
    let request = v1::CorrectMemoryRequest {
        user_id: call.user.clone(),
        id: id.to_owned(),
        content: content.to_owned(),
        reason: reason.to_owned(),
        ..v1::CorrectMemoryRequest::default()
    };
    let answer = call.records().correct_memory(call.request(request)).await?.into_inner();
    let receipt = answer.receipt.unwrap_or_default();
    let ended = linked(call, &receipt.id, v1::LinkDirection::Out).await;
    let ended = ended.or_else(|status| if is_denied(&status) { Ok(Vec::new()) } else { Err(status) })?;
    let ended = ended.into_iter().map(|memory| Item::of(memory, CONTENT_BYTES)).collect();
    Ok(Correction { receipt, ended })
}

/// Returns the correction that an earlier call made with the same content. `None` if none did.
async fn repeated(call: &Call, id: &str, content: &str) -> Result<Option<Correction>, Status> {
    let newer = linked(call, id, v1::LinkDirection::In).await?;
    let Some(holding) = newer.into_iter().find(|memory| memory.content == content) else { return Ok(None) };
    let ended = linked(call, &holding.id, v1::LinkDirection::Out).await?;
    let ended = ended.into_iter().map(|memory| Item::of(memory, CONTENT_BYTES)).collect();
    let receipt = v1::MemoryReceipt { id: holding.id, ..v1::MemoryReceipt::default() };
    Ok(Some(Correction { receipt, ended }))
}

/// Returns what a memory replaced, or what replaced it.
async fn linked(call: &Call, id: &str, direction: v1::LinkDirection) -> Result<Vec<v1::Memory>, Status> {
    let request = v1::ListLinksRequest {
        user_id: call.user.clone(),
        id: id.to_owned(),
        direction: direction.into(),
        relations: vec![v1::Relation::Supersedes.into()],
        page_size: FIRST,
        ..v1::ListLinksRequest::default()
    };
    let links = call.links().list_links(call.request(request)).await?.into_inner().links;
    let mut memories = Vec::with_capacity(links.len());
    for link in links {
        let id = if direction == v1::LinkDirection::Out { link.to_id } else { link.from_id };
        let request = v1::GetMemoryRequest { user_id: call.user.clone(), id, peek: true, ..Default::default() };
        memories.extend(call.memories().get_memory(call.request(request)).await?.into_inner().memory);
    }
    Ok(memories)
}

fn is_denied(status: &Status) -> bool {
    status.code() == Code::PermissionDenied
}
