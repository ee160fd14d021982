//! `kimberly users`

use kimberly_proto::v1;

use crate::context::Context;
use crate::error::CliResult;
use crate::{json, text};

#[derive(clap::Args)]
pub(crate) struct Args {}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        let mut client = context.connect().await?.maintenance();
        let (mut answer, mut page_token) = (v1::ListUsersResponse::default(), String::new());
        loop {
            let request = v1::ListUsersRequest { page_size: 1_000, page_token };
            let page = client.list_users(request).await?.into_inner();
            answer.users.extend(page.users);
            page_token = page.next_page_token;
            if page_token.is_empty() {
                break;
            }
        }
        let shown = || {
            let ids: Vec<_> = answer.users.iter().map(|user| text::printable(&user.user_id)).collect();
            if ids.is_empty() { "nobody has a memory yet".to_owned() } else { ids.join("\n") }
        };
        context.out.answer(|| json::of(&answer), shown)
    }
}
