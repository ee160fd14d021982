//! `kimberly promote`

use kimberly_proto::v1;

use crate::context::Context;
use crate::error::CliResult;
use crate::ids::Kind;
use crate::record::RecordArgs;
use crate::{ids, input, json, view};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The derived content; `-` reads it from stdin
    text: String,
    /// Its source memories
    #[arg(required = true)]
    ids: Vec<String>,
    /// The reason
    #[arg(long, default_value = "", hide_default_value = true)]
    reason: String,
    #[command(flatten)]
    record: RecordArgs,
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        let said = input::text(self.text)?;
        let mut draft =
            v1::MemoryDraft { content: said, tier: v1::Tier::LongTerm.into(), ..v1::MemoryDraft::default() };
        let kind = self.record.kind().unwrap_or_default();
        self.record.write(kind, &mut draft)?;
        let client = context.connect().await?;
        let request = v1::PromoteMemoriesRequest {
            user_id: context.user.clone(),
            ids: ids::all(context, &client, Kind::Memory, self.ids).await?,
            memory: Some(draft),
            reason: self.reason,
            ..v1::PromoteMemoriesRequest::default()
        };
        let answer = client.records().promote_memories(request).await?.into_inner();
        context.out.answer(|| json::of(&answer), || view::receipt(answer.receipt.as_ref()))
    }
}
