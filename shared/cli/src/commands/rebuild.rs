//! `kimberly rebuild`

use kimberly_proto::v1;

use crate::context::Context;
use crate::error::CliResult;
use crate::{json, text};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Also rebuild all vectors
    #[arg(long)]
    vectors: bool,
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        let request = v1::RebuildDerivedRequest { user_id: context.user.clone(), vectors: self.vectors };
        let rebuilt = context.connect().await?.maintenance().rebuild_derived(request).await?.into_inner();
        let counters =
            if rebuilt.counters_corrected { "counters were wrong and were corrected" } else { "counters were right" };
        context.out.answer(
            || json::of(&rebuilt),
            || {
                let vectors = if self.vectors { "; the embedder rebuilds the vectors" } else { "" };
                format!("rebuilt the full-text index of {}; {counters}{vectors}", text::memories(rebuilt.memories))
            },
        )
    }
}
