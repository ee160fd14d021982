//! `kimberly restore`

use kimberly_proto::v1;

use crate::context::Context;
use crate::error::{CliError, CliResult};
use crate::ids::Kind;
use crate::{ids, input, json, view};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The memories' ids; `-` reads them from stdin
    #[arg(required = true)]
    ids: Vec<String>,
    /// Also protect them, so that the system does not archive them again
    #[arg(long)]
    protect: bool,
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        restore(context, self.ids, self.protect).await
    }
}

/// Restores memories, and prints each.
pub(super) async fn restore(context: &Context, typed: Vec<String>, protect: bool) -> CliResult {
    let typed = input::words(typed)?;
    let client = context.connect().await?;
    let mut memories = client.memories();
    for id in ids::all(context, &client, Kind::Memory, typed).await? {
        let user_id = context.user.clone();
        let request = v1::RestoreMemoryRequest { user_id, id: id.clone(), protect, request_id: String::new() };
        let answer = memories.restore_memory(request).await.map_err(|status| CliError::from(status).during(&id))?;
        let answer = answer.into_inner();
        context.out.answer(|| json::of(&answer), || view::receipt(answer.receipt.as_ref()))?;
    }
    Ok(())
}
