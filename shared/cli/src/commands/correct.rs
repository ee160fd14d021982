//! `kimberly correct`

use kimberly_proto::v1;

use super::edit::kind_of;
use crate::context::Context;
use crate::error::CliResult;
use crate::ids::Kind;
use crate::{detail, ids, input, json, view};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The memory's id
    id: String,
    /// The corrected content; `-` reads it from stdin
    content: String,
    /// The detail of its kind, as JSON; without it, the detail of a fact, preference or decision is dropped
    #[arg(long, value_name = "JSON")]
    detail_json: Option<String>,
    /// The reason
    #[arg(long, default_value = "", hide_default_value = true)]
    reason: String,
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        let said = input::text(self.content)?;
        let client = context.connect().await?;
        let id = ids::one(context, &client, Kind::Memory, self.id).await?;
        let detail = match self.detail_json {
            Some(text) => Some(detail::read(kind_of(context, &client, &id).await?, &text)?),
            None => None,
        };
        let request = v1::CorrectMemoryRequest {
            user_id: context.user.clone(),
            id,
            content: said,
            detail,
            reason: self.reason,
            ..v1::CorrectMemoryRequest::default()
        };
        let answer = client.records().correct_memory(request).await?.into_inner();
        context.out.answer(|| json::of(&answer), || view::receipt(answer.receipt.as_ref()))
    }
}
