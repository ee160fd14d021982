//! `kimberly forget protect`

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
    /// Remove the protection
    #[arg(long)]
    off: bool,
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        let typed = input::words(self.ids)?;
        let client = context.connect().await?;
        let mut memories = client.memories();
        for id in ids::all(context, &client, Kind::Memory, typed).await? {
            let memory = v1::MemoryDraft { protected: !self.off, ..Default::default() };
            let request = v1::UpdateMemoryRequest {
                user_id: context.user.clone(),
                id: id.clone(),
                memory: Some(memory),
                update_mask: Some(prost_types::FieldMask { paths: vec!["protected".to_owned()] }),
                ..Default::default()
            };
            let answer = memories.update_memory(request).await.map_err(|status| CliError::from(status).during(&id))?;
            let answer = answer.into_inner();
            context.out.answer(|| json::of(&answer), || view::receipt(answer.receipt.as_ref()))?;
        }
        Ok(())
    }
}
