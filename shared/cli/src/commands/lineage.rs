//! `kimberly lineage`

use kimberly_proto::v1;

use crate::context::Context;
use crate::error::CliResult;
use crate::ids::Kind;
use crate::names::{DirectionArg, RelationArg};
use crate::{ids, json, view};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The memory's id
    id: String,
    /// Its sources, or what was derived from it [default: both]
    #[arg(long)]
    direction: Option<DirectionArg>,
    /// Only this relation; several times for several [default: those of provenance]
    #[arg(long)]
    relation: Vec<RelationArg>,
    /// Maximum number of links away; 0 for any number
    #[arg(long, default_value_t = 0)]
    depth: i32,
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        let client = context.connect().await?;
        let request = v1::LineageRequest {
            user_id: context.user.clone(),
            id: ids::one(context, &client, Kind::Memory, self.id).await?,
            direction: self.direction.map_or(0, Into::into),
            relations: self.relation.into_iter().map(Into::into).collect(),
            max_depth: self.depth,
            limit: 0,
        };
        let answer = client.links().lineage(request).await?.into_inner();
        context.out.answer(
            || json::of(&answer),
            || {
                if answer.steps.is_empty() {
                    "it has no sources, and nothing was derived from it".to_owned()
                } else {
                    view::lineage(&answer)
                }
            },
        )
    }
}
