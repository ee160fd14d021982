//! Shows, writes and removes blocks of core memory.

use kimberly_core::bounds as b;
use kimberly_core::core_memory::label_of;
use kimberly_proto::v1;
use serde::{Deserialize, Serialize};
use tonic::Status;

use super::{Does, Tool, invalid};
use crate::mcp::answer::Answer;
use crate::mcp::call::Call;
use crate::mcp::schema::described;

pub(super) struct CoreMemory;

described! {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    pub(super) struct Input {
        /// The block to write or remove, such as persona, human, facts, goals, scratch, or one of your own; omit it to see all.
        label: Option<String> where length(1..=b::MAX_BLOCK_LABEL_BYTES),
        /// The block's complete new text; a missing block is added.
        content: Option<String> where length(0..=b::MAX_BLOCK_BYTES),
        /// Whether to remove the block.
        #[serde(default)]
        remove: bool,
    }

    #[derive(Serialize)]
    pub(super) struct Output {
        /// All blocks after the call, in order.
        blocks: Vec<Block>,
        /// Bytes of their texts.
        bytes: i64,
        /// Bytes that their texts may have in all.
        limit_bytes: i64,
    }

    #[derive(Serialize)]
    struct Block {
        /// Its label.
        label: String,
        /// Its text.
        content: String,
    }
}

enum Change {
    Write(String, String),
    Remove(String),
}

impl Tool for CoreMemory {
    const NAME: &'static str = "core_memory";
    const TITLE: &'static str = "See or change core memory";
    const DESCRIPTION: &'static str = "Core memory is the short text in every prompt: who you are, who the person is, \
        what is going on. See all blocks, replace the text of one, or remove one. Keep blocks short and true; use \
        `remember` for details.";
    const DOES: Does = Does::Changes;
    type Input = Input;
    type Output = Output;

    async fn run(call: &Call, input: Input) -> Result<Answer<Output>, Status> {
        match change(input)? {
            Some(Change::Write(label, content)) => write(call, label, content).await?,
            Some(Change::Remove(label)) => {
                let request = v1::RemoveBlockRequest { user_id: call.user.clone(), label, ..Default::default() };
                call.core_memory().remove_block(call.request(request)).await?;
            }
            None => {}
        }
        let request = v1::ListBlocksRequest { user_id: call.user.clone(), ..Default::default() };
        let answer = call.core_memory().list_blocks(call.request(request)).await?.into_inner();
        let blocks = answer.blocks.into_iter().map(|block| Block { label: label(&block), content: block.content });
        let (bytes, limit_bytes) = (answer.bytes, answer.limit_bytes);
        Ok(Answer::of_data(Output { blocks: blocks.collect(), bytes, limit_bytes }))
    }
}

fn change(input: Input) -> Result<Option<Change>, Status> {
    match (input.label, input.content, input.remove) {
        (None, None, false) => Ok(None),
        (Some(label), Some(content), false) => Ok(Some(Change::Write(label, content))),
        (Some(label), None, true) => Ok(Some(Change::Remove(label))),
        _ => Err(invalid(
            "arguments",
            "do not form a command; give label and content to write, label and remove to delete, or nothing to list all",
        )),
    }
}

/// Replaces the text of a block, or adds the block if it does not exist.
async fn write(call: &Call, label: String, content: String) -> Result<(), Status> {
    let user_id = call.user.clone();
    let update = v1::UpdateBlockRequest {
        user_id: user_id.clone(),
        label: label.clone(),
        content: Some(content.clone()),
        ..Default::default()
    };
    match call.core_memory().update_block(call.request(update)).await {
        Err(status) if status.code() == tonic::Code::NotFound => {
            let add = v1::AddBlockRequest { user_id, label, content, ..Default::default() };
            call.core_memory().add_block(call.request(add)).await.map(drop)
        }
        updated => updated.map(drop),
    }
}

/// Returns the label of a block, which is the last part of its name.
fn label(block: &v1::Memory) -> String {
    label_of(&block.name).unwrap_or(&block.name).to_owned()
}
