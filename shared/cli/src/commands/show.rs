//! `kimberly show`

use kimberly_proto::v1;

use crate::context::Context;
use crate::error::CliResult;
use crate::ids::Kind;
use crate::{ids, json, view};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The memory's id
    id: String,
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        let client = context.connect().await?;
        let id = ids::one(context, &client, Kind::Memory, self.id).await?;
        let request = v1::GetMemoryRequest { user_id: context.user.clone(), id, explain: true, ..Default::default() };
        let answer = client.memories().get_memory(request).await?.into_inner();
        context.out.answer(|| json::of(&answer), || as_text(&answer))
    }
}

fn as_text(answer: &v1::GetMemoryResponse) -> String {
    let mut parts = vec![view::memory(&answer.memory.clone().unwrap_or_default())];
    if let Some(why) = &answer.score_explanation {
        parts.push(format!("why this score\n{}", view::score(why)));
    }
    if let Some(warmth) = &answer.warmth {
        parts.push(format!("temperature\n  {}", view::warmth(warmth)));
    }
    if let Some(salience) = &answer.salience {
        parts.push(format!("salience\n  {}", view::salience(salience)));
    }
    if !answer.decisions.is_empty() {
        parts.push(format!("decisions about it, newest first\n{}", view::decisions(&answer.decisions)));
    }
    parts.join("\n\n")
}
