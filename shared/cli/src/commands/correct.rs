//! `kimberly correct`

use kimberly_proto::v1;

use crate::context::Context;
use crate::error::CliResult;
use crate::ids::Kind;
use crate::{ids, input, json, view};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The memory's id
    id: String,
    /// What is right; `-` reads it from stdin
    content: String,
    /// Why
    #[arg(long, default_value = "", hide_default_value = true)]
    reason: String,
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        let said = input::text(self.content)?;
        let client = context.connect().await?;
        let request = v1::CorrectMemoryRequest {
            user_id: context.user.clone(),
            id: ids::one(context, &client, Kind::Memory, self.id).await?,
            content: said,
            reason: self.reason,
            ..v1::CorrectMemoryRequest::default()
        };
        let answer = client.records().correct_memory(request).await?.into_inner();
        context.out.answer(|| json::of(&answer), || view::receipt(answer.receipt.as_ref()))
    }
}
