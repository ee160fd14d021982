//! `kimberly invalidate`

use kimberly_proto::v1;
use prost_types::Timestamp;

use crate::context::Context;
use crate::error::CliResult;
use crate::ids::Kind;
use crate::{ids, json, time};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The memory's id
    id: String,
    /// The end of its validity [default: now]
    #[arg(long, value_parser = time::parse, value_name = "TIME")]
    when: Option<Timestamp>,
    /// The reason
    #[arg(long, default_value = "", hide_default_value = true)]
    reason: String,
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        let client = context.connect().await?;
        let id = ids::one(context, &client, Kind::Memory, self.id).await?;
        let request = v1::InvalidateMemoryRequest {
            user_id: context.user.clone(),
            id: id.clone(),
            when: self.when,
            reason: self.reason,
            ..v1::InvalidateMemoryRequest::default()
        };
        let answer = client.records().invalidate_memory(request).await?.into_inner();
        let until = || format!("{id}  valid until {}", time::minute(answer.valid_to.as_ref()));
        context.out.answer(|| json::of(&answer), until)
    }
}
