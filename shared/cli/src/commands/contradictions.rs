//! `kimberly contradictions`

use kimberly_proto::v1;

use crate::context::Context;
use crate::error::CliResult;
use crate::{json, view};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// At most this many, 1 to 1,000
    #[arg(short = 'n', long, default_value_t = 50)]
    limit: i32,
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        let user_id = context.user.clone();
        let request = v1::ListContradictionsRequest { user_id, page_size: self.limit, page_token: String::new() };
        let answer = context.connect().await?.links().list_contradictions(request).await?.into_inner();
        context.out.answer(
            || json::of(&answer),
            || {
                if answer.contradictions.is_empty() {
                    format!("nothing of user {} contradicts", context.user)
                } else {
                    view::contradictions(&answer.contradictions)
                }
            },
        )
    }
}
