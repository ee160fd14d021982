//! `kimberly unlink`

use kimberly_proto::v1;

use crate::context::Context;
use crate::error::CliResult;
use crate::ids::Kind;
use crate::names::RelationArg;
use crate::{ids, json};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The memory that the link starts from
    from: String,
    /// The relation
    relation: RelationArg,
    /// The memory that the link points to
    to: String,
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        let client = context.connect().await?;
        let request = v1::UnlinkRequest {
            user_id: context.user.clone(),
            from_id: ids::one(context, &client, Kind::Memory, self.from).await?,
            relation: self.relation.into(),
            to_id: ids::one(context, &client, Kind::Memory, self.to).await?,
            request_id: String::new(),
        };
        let answer = client.links().unlink(request).await?.into_inner();
        context.out.answer(
            || json::of(&answer),
            || if answer.removed { "the link is removed" } else { "there was no such link" }.to_owned(),
        )
    }
}
