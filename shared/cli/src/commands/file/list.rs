//! `kimberly file list`

use kimberly_proto::v1;

use crate::context::Context;
use crate::error::CliResult;
use crate::{json, view};

#[derive(clap::Args)]
pub(super) struct Args {
    /// Names that begin with this
    #[arg(default_value = "", hide_default_value = true)]
    prefix: String,
    /// Names after this one
    #[arg(long, value_name = "NAME", default_value = "", hide_default_value = true)]
    after: String,
    /// At most this many, 1 to 1,000
    #[arg(short = 'n', long, default_value_t = 100)]
    limit: i32,
}

impl Args {
    pub(super) async fn run(self, context: &Context, namespace: String) -> CliResult {
        let request = v1::ListNamesRequest {
            user_id: context.user.clone(),
            namespace,
            prefix: self.prefix,
            after: self.after,
            limit: self.limit,
        };
        let answer = context.connect().await?.named().list_names(request).await?.into_inner();
        context.out.answer(
            || json::of(&answer),
            || match answer.names.last() {
                None => "no memory has such a name; `kimberly remember --name` sets one".to_owned(),
                Some(last) if answer.more => {
                    format!("{}\n\nmore: --after {:?}", view::names(&answer.names), last.name)
                }
                Some(_) => view::names(&answer.names),
            },
        )
    }
}
