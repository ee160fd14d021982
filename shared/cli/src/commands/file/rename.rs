//! `kimberly file rename`

use kimberly_proto::v1;

use super::refused;
use crate::context::Context;
use crate::error::CliResult;
use crate::{json, view};

#[derive(clap::Args)]
pub(super) struct Args {
    /// The name
    name: String,
    /// The new name, which must be free
    new_name: String,
    /// Only if it still has this etag
    #[arg(long, default_value = "", hide_default_value = true)]
    etag: String,
}

impl Args {
    pub(super) async fn run(self, context: &Context, namespace: String) -> CliResult {
        let request = v1::RenameRecordRequest {
            user_id: context.user.clone(),
            namespace,
            name: self.name,
            new_name: self.new_name,
            etag: self.etag,
            request_id: String::new(),
        };
        let answer = context.connect().await?.named().rename_record(request).await.map_err(refused())?.into_inner();
        context.out.answer(|| json::of(&answer), || view::receipt(answer.receipt.as_ref()))
    }
}
