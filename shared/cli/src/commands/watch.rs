//! `kimberly watch`: changes of memories as they happen, one line each, until Ctrl-C. If the server goes away, it
//! waits; no change is missed or shown twice.

use kimberly_proto::v1;

use crate::client::Client;
use crate::context::Context;
use crate::error::{CliError, CliResult};
use crate::filter::FilterArgs;
use crate::patience::Patience;
use crate::{json, view};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Continue after this cursor, which --json prints with every change
    #[arg(long, value_name = "CURSOR", conflicts_with = "from_oldest")]
    cursor: Option<String>,
    /// Begin with the oldest stored change, a week old or more, instead of now
    #[arg(long)]
    from_oldest: bool,
    /// Omit the memories themselves
    #[arg(long)]
    ids_only: bool,
    #[command(flatten)]
    filter: FilterArgs,
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        let client = context.connect().await?;
        let mut request = v1::WatchMemoriesRequest {
            user_id: context.user.clone(),
            cursor: self.cursor.unwrap_or_default(),
            from_oldest: self.from_oldest,
            filter: Some(self.filter.to_proto()),
            include_memory: !self.ids_only,
        };
        context.out.note("watching; end with Ctrl-C");
        let mut patience = Patience::default();
        loop {
            if let Err(error) = follow(context, &client, &mut request, &mut patience).await {
                patience.again(error).await?;
            }
        }
    }
}

/// Prints changes until the stream ends; updates the request's cursor.
async fn follow(
    context: &Context,
    client: &Client,
    request: &mut v1::WatchMemoriesRequest,
    patience: &mut Patience,
) -> CliResult {
    let watched = client.memories().watch_memories(request.clone()).await.map_err(CliError::of_stream)?;
    let mut watched = watched.into_inner();
    while let Some(message) = watched.message().await.map_err(CliError::of_stream)? {
        patience.renew();
        if let Some(change) = &message.change {
            context.out.answer(|| json::of(&message), || view::change(change))?;
        }
        request.cursor = message.cursor;
    }
    Ok(())
}
