//! Lists memories, newest first, page by page.

use kimberly_core::bounds as b;
use kimberly_proto::v1;
use serde::{Deserialize, Serialize};
use tonic::Status;

use super::item::{Item, Tier, as_text};
use super::{Does, Tool};
use crate::mcp::answer::Answer;
use crate::mcp::call::Call;
use crate::mcp::schema::described;

/// Default number of memories per page.
const PAGE: i32 = 20;
/// Maximum bytes of each content in a response.
const CONTENT_BYTES: usize = 500;

pub(super) struct ListMemories;

described! {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    pub(super) struct Input {
        /// Only memories with one of these tags; empty for all.
        #[serde(default)]
        tags: Vec<String> where length(0..=b::MAX_TAGS) items(1..=b::MAX_TAG_BYTES),
        /// Only memories of one of these tiers; empty for all.
        #[serde(default)]
        tiers: Vec<Tier> where length(0..=kimberly_core::memory::Tier::ALL.len()),
        /// Only memories of this session; empty for all.
        #[serde(default)]
        session_id: String where length(0..=b::MAX_SESSION_ID_BYTES),
        /// At most this many memories.
        #[serde(default = "page")]
        page_size: i32 where range(1..=b::MAX_PAGE_SIZE),
        /// Where to go on: `next_page_token` of the page before, with the same arguments otherwise.
        #[serde(default)]
        page_token: String where length(0..=b::MAX_PAGE_TOKEN_BYTES),
    }

    #[derive(Serialize)]
    pub(super) struct Output {
        /// The memories, newest first.
        memories: Vec<Item>,
        /// Where the next page begins; empty on the last one.
        next_page_token: String,
    }
}

fn page() -> i32 {
    PAGE
}

impl Tool for ListMemories {
    const NAME: &'static str = "list_memories";
    const TITLE: &'static str = "List memories";
    const DESCRIPTION: &'static str = "List memories, newest first and page by page, such as to show them to the \
        person or to tidy them. Contents are cut to 500 bytes. To answer a question, use recall instead.";
    const DOES: Does = Does::Reads;
    type Input = Input;
    type Output = Output;

    async fn run(call: &Call, input: Input) -> Result<Answer<Output>, Status> {
        let filter = v1::MemoryFilter {
            tags_any: input.tags,
            tiers: input.tiers.into_iter().map(|tier| v1::Tier::from(tier).into()).collect(),
            session_id: input.session_id,
            ..v1::MemoryFilter::default()
        };
        let request = v1::ListMemoriesRequest {
            user_id: call.user.clone(),
            filter: Some(filter),
            page_size: input.page_size,
            page_token: input.page_token,
            ..v1::ListMemoriesRequest::default()
        };
        let answer = call.memories().list_memories(call.request(request)).await?.into_inner();
        let memories: Vec<Item> = answer.memories.into_iter().map(|memory| Item::of(memory, CONTENT_BYTES)).collect();
        let next_page_token = answer.next_page_token;
        let more = if next_page_token.is_empty() {
            "There are no more.".to_owned()
        } else {
            format!("There are more: page_token {next_page_token}.")
        };
        let text = match memories.len() {
            0 => "Nothing is remembered there.".to_owned(),
            n => as_text(&format!("{n} listed, newest first. {more}"), &memories),
        };
        Ok(Answer::new(text, Output { memories, next_page_token }))
    }
}
