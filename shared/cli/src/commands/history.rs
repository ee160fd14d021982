//! `kimberly history`

use kimberly_proto::v1;

use crate::context::Context;
use crate::error::CliResult;
use crate::ids::Kind;
use crate::{ids, json, view};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The memory's id
    id: String,
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        let client = context.connect().await?;
        let id = ids::one(context, &client, Kind::Memory, self.id).await?;
        let request = v1::GetHistoryRequest { user_id: context.user.clone(), id };
        let answer = client.records().get_history(request).await?.into_inner();
        context.out.answer(|| json::of(&answer), || view::history(&answer.events))
    }
}
