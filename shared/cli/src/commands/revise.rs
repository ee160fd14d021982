//! `kimberly revise`

use kimberly_proto::v1;

use crate::context::Context;
use crate::error::CliResult;
use crate::ids::Kind;
use crate::{ids, input, json, view};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The belief's id
    id: String,
    /// The revised belief; `-` reads it from stdin
    content: String,
    /// Its confidence, 0 to 1 [default: 1]
    #[arg(long)]
    confidence: Option<f64>,
    /// The memory that led to it, such as an episode
    #[arg(long, value_name = "ID")]
    because: Option<String>,
    /// The reason
    #[arg(long, default_value = "", hide_default_value = true)]
    reason: String,
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        let said = input::text(self.content)?;
        let client = context.connect().await?;
        let episode_id = match self.because {
            Some(id) => ids::one(context, &client, Kind::Memory, id).await?,
            None => String::new(),
        };
        let request = v1::ReviseBeliefRequest {
            user_id: context.user.clone(),
            id: ids::one(context, &client, Kind::Memory, self.id).await?,
            content: said,
            confidence: self.confidence,
            reason: self.reason,
            episode_id,
            ..v1::ReviseBeliefRequest::default()
        };
        let answer = client.records().revise_belief(request).await?.into_inner();
        context.out.answer(|| json::of(&answer), || view::receipt(answer.receipt.as_ref()))
    }
}
