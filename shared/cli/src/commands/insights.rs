//! `kimberly insights`

use std::collections::BTreeMap;

use kimberly_proto::v1;

use crate::client::Client;
use crate::context::Context;
use crate::error::CliResult;
use crate::ids::Kind;
use crate::{ids, json, view};

/// Prefix of the source of an insight from a nightly meditation; the meditation's id follows.
const NIGHT: &str = "night/";
/// Insights per page.
const PAGE: i32 = 1000;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// At most this many, 1 to 1,000
    #[arg(short = 'n', long, default_value_t = 50)]
    limit: i32,
    /// Only insights of this night, by the id of its meditation
    #[arg(long, value_name = "ID")]
    night: Option<String>,
    /// Undo the insights of that night; they are not derived again
    #[arg(long, requires = "night")]
    undo: bool,
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        let client = context.connect().await?;
        let night = match self.night {
            Some(night) => Some(format!("{NIGHT}{}", ids::one(context, &client, Kind::Meditation, night).await?)),
            None => None,
        };
        let mut page = match &night {
            Some(night) => of_night(context, &client, night).await?,
            None => list(context, &client, (self.limit, String::new())).await?,
        };
        if self.undo {
            return take_back(context, &client, &page).await;
        }
        page.memories.truncate(usize::try_from(self.limit).unwrap_or_default());
        let premises = premises(context, &client, &page.memories).await?;
        context.out.answer(
            || json::of(&page),
            || {
                if page.memories.is_empty() {
                    format!("no insights about memories of user {}", context.user)
                } else {
                    view::insights(&page.memories, &premises)
                }
            },
        )
    }
}

async fn list(
    context: &Context,
    client: &Client,
    (page_size, page_token): (i32, String),
) -> CliResult<v1::ListMemoriesResponse> {
    let filter = Some(v1::MemoryFilter { kinds: vec![v1::Kind::Insight.into()], ..v1::MemoryFilter::default() });
    let user_id = context.user.clone();
    let request = v1::ListMemoriesRequest { user_id, filter, page_size, page_token, ..Default::default() };
    Ok(client.memories().list_memories(request).await?.into_inner())
}

/// All insights of one nightly meditation.
async fn of_night(context: &Context, client: &Client, night: &str) -> CliResult<v1::ListMemoriesResponse> {
    let (mut memories, mut page_token) = (Vec::new(), String::new());
    loop {
        let page = list(context, client, (PAGE, page_token)).await?;
        memories.extend(page.memories.into_iter().filter(|memory| memory.source_ref == night));
        page_token = page.next_page_token;
        if page_token.is_empty() {
            return Ok(v1::ListMemoriesResponse { memories, ..Default::default() });
        }
    }
}

/// The premises of insights by id; missing memories are skipped.
async fn premises(
    context: &Context,
    client: &Client,
    insights: &[v1::Memory],
) -> CliResult<BTreeMap<String, v1::Memory>> {
    let mut found = BTreeMap::new();
    for id in insights.iter().flat_map(view::premises) {
        if found.contains_key(id) {
            continue;
        }
        let request = v1::GetMemoryRequest { user_id: context.user.clone(), id: id.clone(), ..Default::default() };
        match client.memories().get_memory(request).await {
            Ok(answer) => {
                if let Some(memory) = answer.into_inner().memory {
                    found.insert(id.clone(), memory);
                }
            }
            Err(status) if status.code() == tonic::Code::NotFound => {}
            Err(status) => return Err(status.into()),
        }
    }
    Ok(found)
}

/// Invalidates insights.
async fn take_back(context: &Context, client: &Client, page: &v1::ListMemoriesResponse) -> CliResult {
    for insight in &page.memories {
        let request = v1::InvalidateMemoryRequest {
            user_id: context.user.clone(),
            id: insight.id.clone(),
            reason: "taken back".to_owned(),
            ..v1::InvalidateMemoryRequest::default()
        };
        client.records().invalidate_memory(request).await?;
    }
    let count = page.memories.len();
    context.out.answer(|| json::of(page), || format!("{count} taken back"))
}
