//! `kimberly link`

use kimberly_proto::v1;

use crate::context::Context;
use crate::error::CliResult;
use crate::ids::Kind;
use crate::names::{self, RelationArg, SourceTypeArg};
use crate::{ids, json};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The memory that the link starts from
    from: String,
    /// The relation
    relation: RelationArg,
    /// The memory that the link points to
    to: String,
    /// Its strength, 0 to 1 [default: 1]
    #[arg(long)]
    weight: Option<f64>,
    /// Its confidence, 0 to 1 [default: 1]
    #[arg(long)]
    confidence: Option<f64>,
    /// A quote or a reason
    #[arg(long, default_value = "", hide_default_value = true)]
    evidence: String,
    /// Its source type [default: `told_by_user`]
    #[arg(long)]
    source_type: Option<SourceTypeArg>,
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        let client = context.connect().await?;
        let link = v1::MemoryLink {
            from_id: ids::one(context, &client, Kind::Memory, self.from).await?,
            relation: self.relation.into(),
            to_id: ids::one(context, &client, Kind::Memory, self.to).await?,
            weight: self.weight,
            confidence: self.confidence,
            source_type: self.source_type.map_or(0, Into::into),
            evidence: self.evidence,
            ..v1::MemoryLink::default()
        };
        let (user_id, request_id) = (context.user.clone(), String::new());
        let request = v1::LinkRequest { user_id, link: Some(link.clone()), request_id };
        let answer = client.links().link(request).await?.into_inner();
        context.out.answer(
            || json::of(&answer),
            || {
                let written = if answer.created { "" } else { " (written over)" };
                format!("{}  {} {}{written}", link.from_id, names::relation(link.relation), link.to_id)
            },
        )
    }
}
