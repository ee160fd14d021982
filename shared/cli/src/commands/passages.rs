//! `kimberly passages`: prints the text of a document.

use kimberly_proto::v1;
use serde_json::json;

use crate::context::Context;
use crate::error::CliResult;
use crate::ids::{self, Kind};
use crate::json;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The document's id
    id: String,
    /// The first passage to show, from 0
    #[arg(long, default_value_t = 0)]
    from: usize,
    /// Maximum number [default: all]
    #[arg(short = 'n', long)]
    limit: Option<usize>,
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        let client = context.connect().await?;
        let id = ids::one(context, &client, Kind::Memory, self.id).await?;
        let until = self.limit.map_or(usize::MAX, |limit| self.from.saturating_add(limit));
        let (mut passages, mut page_token) = (Vec::new(), String::new());
        loop {
            let request =
                v1::ListPassagesRequest { user_id: context.user.clone(), id: id.clone(), page_size: 1_000, page_token };
            let answer = client.documents().list_passages(request).await?.into_inner();
            passages.extend(answer.passages);
            page_token = answer.next_page_token;
            if page_token.is_empty() || passages.len() >= until {
                break;
            }
        }
        passages.truncate(until);
        let shown: Vec<v1::Passage> = passages.into_iter().skip(self.from).collect();
        context.out.answer(
            || json!({"passages": shown.iter().map(json::of).collect::<Vec<_>>()}),
            || shown.iter().map(|passage| passage.text.as_str()).collect::<Vec<_>>().join("\n\n"),
        )
    }
}
