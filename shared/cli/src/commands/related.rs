//! `kimberly related`: memories related to one.

use kimberly_proto::v1;

use crate::context::Context;
use crate::error::CliResult;
use crate::ids::Kind;
use crate::{ids, json, view};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The memory's id
    id: String,
    /// At most this many, 1 to 200
    #[arg(short = 'n', long, default_value_t = 10)]
    limit: i32,
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        let client = context.connect().await?;
        let id = ids::one(context, &client, Kind::Memory, self.id).await?;
        let request = v1::ListRelatedRequest { user_id: context.user.clone(), id, limit: self.limit };
        let answer = client.graph().list_related(request).await?.into_inner();
        context.out.answer(
            || json::of(&answer),
            || {
                if answer.related.is_empty() {
                    "no related memories".to_owned()
                } else {
                    view::related(&answer.related)
                }
            },
        )
    }
}
