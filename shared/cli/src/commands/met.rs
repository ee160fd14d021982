//! `kimberly met`

use kimberly_proto::v1;

use crate::context::Context;
use crate::error::CliResult;
use crate::ids::Kind;
use crate::{ids, json, text};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The id of the relationship
    id: String,
    /// How trustworthy they proved, 0 to 1 [default: as before]
    #[arg(long)]
    trust: Option<f64>,
    /// How it went, -1 to 1 [default: as before]
    #[arg(long, allow_negative_numbers = true)]
    sentiment: Option<f64>,
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        let client = context.connect().await?;
        let id = ids::one(context, &client, Kind::Memory, self.id).await?;
        let request = v1::RecordInteractionRequest {
            user_id: context.user.clone(),
            id: id.clone(),
            trust: self.trust,
            sentiment: self.sentiment,
            request_id: String::new(),
        };
        let answer = client.records().record_interaction(request).await?.into_inner();
        context.out.answer(
            || json::of(&answer),
            || {
                let times = text::count(answer.interactions, "time", "times");
                format!("{id}  met {times}, trust {:.3}, sentiment {:.3}", answer.trust, answer.sentiment)
            },
        )
    }
}
