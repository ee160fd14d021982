//! `kimberly links`

use kimberly_proto::v1;

use crate::client::Client;
use crate::context::Context;
use crate::error::CliResult;
use crate::ids::Kind;
use crate::names::RelationArg;
use crate::pages::every;
use crate::{ids, json, view};

/// Links per page.
const PAGE: i32 = 1_000;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// A memory's id; without one, all links
    id: Option<String>,
    /// Only this relation; several times for several
    #[arg(long)]
    relation: Vec<RelationArg>,
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        let client = context.connect().await?;
        let id = match self.id {
            Some(id) => ids::one(context, &client, Kind::Memory, id).await?,
            None => String::new(),
        };
        let relations = self.relation.into_iter().map(Into::into).collect();
        let request = v1::ListLinksRequest { user_id: context.user.clone(), id, relations, ..Default::default() };
        let links = of(&client, request).await?;
        let answer = v1::ListLinksResponse { links, next_page_token: String::new() };
        context.out.answer(
            || json::of(&answer),
            || if answer.links.is_empty() { "no links".to_owned() } else { view::links(&answer.links) },
        )
    }
}

/// All links that match a request; reads all pages.
pub(crate) async fn of(client: &Client, request: v1::ListLinksRequest) -> Result<Vec<v1::MemoryLink>, tonic::Status> {
    let mut client = client.links();
    every(async |page_token| {
        let request = v1::ListLinksRequest { page_size: PAGE, page_token, ..request.clone() };
        let page = client.list_links(request).await?.into_inner();
        Ok((page.links, page.next_page_token))
    })
    .await
}
