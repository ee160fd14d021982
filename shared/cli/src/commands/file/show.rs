//! `kimberly file show`

use kimberly_proto::v1;

use super::refused;
use crate::context::Context;
use crate::error::CliResult;
use crate::{json, view};

#[derive(clap::Args)]
pub(super) struct Args {
    /// The name
    name: String,
}

impl Args {
    pub(super) async fn run(self, context: &Context, namespace: String) -> CliResult {
        let request = v1::GetNamedRecordRequest {
            user_id: context.user.clone(),
            namespace,
            name: self.name,
            ..Default::default()
        };
        let answer = context.connect().await?.named().get_named_record(request).await.map_err(refused())?.into_inner();
        context.out.answer(|| json::of(&answer), || view::memory(&answer.memory.clone().unwrap_or_default()))
    }
}
