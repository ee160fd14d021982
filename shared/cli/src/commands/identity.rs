//! `kimberly identity`

use kimberly_proto::v1;

use crate::context::Context;
use crate::error::CliResult;
use crate::{json, text};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The namespace, such as an application's name
    #[arg(long, value_name = "NAME", default_value = "", hide_default_value = true)]
    namespace: String,
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        let request = v1::GetIdentityRequest { user_id: context.user.clone(), namespace: self.namespace };
        let answer = context.connect().await?.records().get_identity(request).await?.into_inner();
        context.out.answer(|| json::of(&answer), || text::printable(answer.document.trim_end()))
    }
}
