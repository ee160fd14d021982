//! `kimberly verify`

use kimberly_proto::v1;

use crate::context::Context;
use crate::error::CliResult;
use crate::ids::Kind;
use crate::{ids, json, text};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The memory's id
    id: String,
    /// Only if it still has this etag
    #[arg(long, default_value = "", hide_default_value = true)]
    etag: String,
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        let client = context.connect().await?;
        let id = ids::one(context, &client, Kind::Memory, self.id).await?;
        let request = v1::VerifyMemoryRequest {
            user_id: context.user.clone(),
            id: id.clone(),
            etag: self.etag,
            request_id: String::new(),
        };
        let answer = client.records().verify_memory(request).await?.into_inner();
        context.out.answer(
            || json::of(&answer),
            || {
                let times = text::count(answer.verification_count, "time", "times");
                format!("{id}  confidence {:.3}, verified {times}", answer.confidence)
            },
        )
    }
}
