//! `kimberly audit list`

use kimberly_proto::v1;

use crate::context::Context;
use crate::error::CliResult;
use crate::{ids, json, view};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The system's audit: changes of keys, and refused calls
    #[arg(long)]
    system: bool,
    /// At most this many, 1 to 1,000
    #[arg(short = 'n', long, default_value_t = 20)]
    limit: i32,
    /// Only actions of this caller
    #[arg(long, default_value = "", hide_default_value = true, value_name = "NAME")]
    actor: String,
    /// Only this action, such as memory.delete
    #[arg(long, default_value = "", hide_default_value = true)]
    action: String,
    /// Only about this item: the id of a memory, goal or run, or its last characters
    #[arg(long, default_value = "", hide_default_value = true, value_name = "ID")]
    about: String,
    /// Continue after the previous page
    #[arg(long, default_value = "", hide_default_value = true, value_name = "TOKEN")]
    page: String,
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        let client = context.connect().await?;
        let request = v1::ListAuditEntriesRequest {
            user_id: super::of(context, self.system),
            actor: self.actor,
            action: self.action,
            subject: ids::anything(context, &client, self.about).await?,
            page_size: self.limit,
            page_token: self.page,
        };
        let page = client.audit().list_audit_entries(request).await?.into_inner();
        context.out.answer(
            || json::of(&page),
            || {
                if page.entries.is_empty() {
                    "nothing was recorded".to_owned()
                } else {
                    view::audit_entries(&page.entries)
                }
            },
        )
    }
}
