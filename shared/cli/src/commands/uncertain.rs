//! `kimberly uncertain`

use kimberly_proto::v1;

use crate::context::Context;
use crate::error::CliResult;
use crate::filter::FilterArgs;
use crate::{json, view};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Threshold of confidence, above 0 and at most 1 [default: 0.5]
    #[arg(long, value_name = "CONFIDENCE")]
    threshold: Option<f64>,
    /// At most this many, 1 to 1,000
    #[arg(short = 'n', long, default_value_t = 50)]
    limit: i32,
    #[command(flatten)]
    filter: FilterArgs,
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        let request = v1::ListUncertainRequest {
            user_id: context.user.clone(),
            threshold: self.threshold,
            filter: Some(self.filter.to_proto()),
            limit: self.limit,
        };
        let answer = context.connect().await?.records().list_uncertain(request).await?.into_inner();
        context.out.answer(
            || json::of(&answer),
            || {
                if answer.memories.is_empty() {
                    format!("no memory of user {} is below that confidence", context.user)
                } else {
                    view::uncertain(&answer.memories)
                }
            },
        )
    }
}
