//! `kimberly resolve`

use kimberly_proto::v1;

use crate::context::Context;
use crate::error::CliResult;
use crate::ids::Kind;
use crate::{ids, json, time};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The memory that the link `contradicts` starts from
    from: String,
    /// The memory that it points to
    to: String,
    /// Which of them is true
    #[arg(long, value_enum)]
    keep: Choice,
    /// The reason
    #[arg(long, default_value = "", hide_default_value = true)]
    reason: String,
}

/// The one that is true.
#[derive(Clone, Copy, clap::ValueEnum)]
enum Choice {
    /// The first
    From,
    /// The second
    To,
    /// Both can be true
    Both,
}

impl Choice {
    const fn resolution(self) -> v1::Resolution {
        match self {
            Self::From => v1::Resolution::KeepFrom,
            Self::To => v1::Resolution::KeepTo,
            Self::Both => v1::Resolution::KeepBoth,
        }
    }
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        let client = context.connect().await?;
        let from_id = ids::one(context, &client, Kind::Memory, self.from).await?;
        let to_id = ids::one(context, &client, Kind::Memory, self.to).await?;
        let request = v1::ResolveContradictionRequest {
            user_id: context.user.clone(),
            from_id,
            to_id,
            resolution: self.keep.resolution().into(),
            reason: self.reason,
            request_id: String::new(),
        };
        let answer = client.links().resolve_contradiction(request).await?.into_inner();
        context.out.answer(|| json::of(&answer), || said(&answer))
    }
}

fn said(answer: &v1::ResolveContradictionResponse) -> String {
    if answer.ended_id.is_empty() {
        return "both hold".to_owned();
    }
    format!("{}  valid until {}", answer.ended_id, time::minute(answer.valid_to.as_ref()))
}
