//! `kimberly outcome`

use kimberly_proto::v1;
use serde_json::json;

use crate::context::Context;
use crate::error::CliResult;
use crate::input;
use crate::names::OutcomeArg;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Whether they helped
    #[arg(value_enum)]
    outcome: OutcomeArg,
    /// The memories' ids, at most 100; `-` reads them from stdin
    #[arg(required = true)]
    ids: Vec<String>,
    /// How many the query that found them asked for, for the metric precision_at_k
    #[arg(short = 'k', long, default_value_t = 0, value_parser = clap::value_parser!(i32).range(0..=100))]
    top_k: i32,
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        let request = v1::RecordOutcomeRequest {
            user_id: context.user.clone(),
            memory_ids: input::words(self.ids)?,
            outcome: self.outcome.into(),
            request_id: String::new(),
            top_k: self.top_k,
        };
        let answer = context.connect().await?.memories().record_outcome(request).await?.into_inner();
        let recorded = answer.recorded;
        context.out.answer(|| json!({"recorded": recorded}), || format!("recorded for {recorded} memories"))
    }
}
