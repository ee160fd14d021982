//! `kimberly unprocessed`

use kimberly_proto::v1;

use crate::context::Context;
use crate::error::CliResult;
use crate::filter::FilterArgs;
use crate::{json, view};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// At most this many, 1 to 1,000
    #[arg(short = 'n', long, default_value_t = 50)]
    limit: i32,
    #[command(flatten)]
    filter: FilterArgs,
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        let request = v1::ListUnprocessedRequest {
            user_id: context.user.clone(),
            filter: Some(self.filter.to_proto()),
            limit: self.limit,
        };
        let answer = context.connect().await?.records().list_unprocessed(request).await?.into_inner();
        context.out.answer(
            || json::of(&answer),
            || {
                if answer.memories.is_empty() {
                    format!("no unprocessed captures of user {}", context.user)
                } else {
                    view::uncertain(&answer.memories)
                }
            },
        )
    }
}
