//! `kimberly forget candidates` and `kimberly forget run`

use kimberly_proto::v1;

use crate::context::Context;
use crate::error::CliResult;
use crate::filter::FilterArgs;
use crate::{json, text, view};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Threshold of salience, above 0 and at most 10 [default: 0.3]
    #[arg(long, value_name = "SALIENCE")]
    threshold: Option<f64>,
    /// Half-life of salience without access, in days, 1 to 3,650
    #[arg(long, value_name = "DAYS", default_value_t = 30)]
    half_life: i32,
    /// At most this many, 1 to 1,000
    #[arg(short = 'n', long, default_value_t = 50)]
    limit: i32,
    #[command(flatten)]
    filter: FilterArgs,
}

#[derive(clap::Args)]
pub(crate) struct Run {
    #[command(flatten)]
    which: Args,
    /// Show what would be archived, and change nothing
    #[arg(long)]
    dry_run: bool,
}

impl Args {
    pub(crate) async fn list(self, context: &Context) -> CliResult {
        let request = v1::ListForgettingCandidatesRequest {
            user_id: context.user.clone(),
            threshold: self.threshold,
            half_life_days: self.half_life,
            filter: Some(self.filter.to_proto()),
            limit: self.limit,
        };
        let answer = context.connect().await?.records().list_forgetting_candidates(request).await?.into_inner();
        context.out.answer(
            || json::of(&answer),
            || {
                if answer.candidates.is_empty() {
                    format!("no forgetting candidates of user {}", context.user)
                } else {
                    view::candidates(&answer.candidates)
                }
            },
        )
    }
}

impl Run {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        let Args { threshold, half_life, limit, filter } = self.which;
        let request = v1::RunForgettingRequest {
            user_id: context.user.clone(),
            threshold,
            half_life_days: half_life,
            filter: Some(filter.to_proto()),
            limit,
            dry_run: self.dry_run,
            request_id: String::new(),
        };
        let answer = context.connect().await?.records().run_forgetting(request).await?.into_inner();
        context.out.answer(|| json::of(&answer), || said(&answer))
    }
}

fn said(ran: &v1::RunForgettingResponse) -> String {
    let bytes: i64 = ran.forgotten.iter().map(|one| one.size_bytes).sum();
    let all = format!("{} ({})", text::memories(ran.forgotten.len()), text::bytes(bytes));
    let sum = if ran.dry_run {
        format!("would archive {all}; nothing was changed")
    } else {
        format!("archived {all}; `kimberly forget recover ID` restores one")
    };
    if ran.forgotten.is_empty() { sum } else { format!("{}\n{sum}", view::forgotten(&ran.forgotten)) }
}
