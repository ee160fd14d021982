//! `kimberly list`

use kimberly_proto::v1;

use crate::context::Context;
use crate::error::CliResult;
use crate::filter::FilterArgs;
use crate::{json, view};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// At most this many, 1 to 1,000
    #[arg(short = 'n', long, default_value_t = 20)]
    limit: i32,
    /// Oldest first
    #[arg(long)]
    oldest_first: bool,
    /// The next page's token, printed with the previous page
    #[arg(long, value_name = "TOKEN", default_value = "", hide_default_value = true)]
    page: String,
    /// Show two or three sentences of each memory
    #[arg(long)]
    summary: bool,
    #[command(flatten)]
    filter: FilterArgs,
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        let order = if self.oldest_first { v1::ListOrder::OldestFirst } else { v1::ListOrder::NewestFirst };
        let filter = self.filter.to_proto();
        let is_filtered = filter != v1::MemoryFilter::default();
        let repeated = self.filter.repeated();
        let request = v1::ListMemoriesRequest {
            user_id: context.user.clone(),
            filter: Some(filter),
            page_size: self.limit,
            page_token: self.page,
            order: order.into(),
            view: if self.summary { v1::MemoryView::Summary } else { v1::MemoryView::Full }.into(),
            ..v1::ListMemoriesRequest::default()
        };
        let page = context.connect().await?.memories().list_memories(request).await?.into_inner();
        context.out.answer(
            || json::of(&page),
            || {
                if page.memories.is_empty() {
                    none(&context.user, is_filtered, repeated)
                } else {
                    view::memories(&shown(&page.memories))
                }
            },
        )?;
        if !page.next_page_token.is_empty() {
            context.out.note(&format!("there is more: --page {}", page.next_page_token));
        }
        Ok(())
    }
}

/// Memories with the texts that the answer contains.
fn shown(memories: &[v1::Memory]) -> Vec<v1::Memory> {
    let mut memories = memories.to_vec();
    for memory in memories.iter_mut().filter(|memory| memory.content.is_empty()) {
        memory.content = std::mem::take(&mut memory.summary);
    }
    memories
}

fn none(user: &str, is_filtered: bool, repeated: Option<String>) -> String {
    if let Some(repeated) = repeated {
        format!("user {user} has no such memories; a comma is part of a name: for several names, write {repeated}")
    } else if is_filtered {
        format!("user {user} has no such memories; without options, `kimberly list` shows all active ones")
    } else {
        format!("user {user} has no memories; `kimberly remember \"I like tea\"` stores something")
    }
}
