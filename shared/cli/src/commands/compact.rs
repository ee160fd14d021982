//! `kimberly compact`

use kimberly_proto::v1;

use crate::context::Context;
use crate::error::CliResult;
use crate::{json, text};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The session
    session: String,
    /// How many of the newest messages stay as they are, 0 to 1,000 [default: 15, as configured]
    #[arg(long, value_name = "MESSAGES")]
    keep: Option<i32>,
    /// The namespace, such as an application's name
    #[arg(long, value_name = "NAME", default_value = "", hide_default_value = true)]
    namespace: String,
    /// Wait until the language model has reworded the summaries, if one is configured
    #[arg(long)]
    wait: bool,
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        let request = v1::CompactSessionRequest {
            user_id: context.user.clone(),
            session_id: self.session.clone(),
            namespace: self.namespace,
            keep: self.keep,
            wait: self.wait,
        };
        let done = context.connect().await?.conversations().compact_session(request).await?.into_inner();
        context.out.answer(|| json::of(&done), || told(&done, &self.session))
    }
}

fn told(done: &v1::CompactSessionResponse, session: &str) -> String {
    if done.summary_ids.is_empty() {
        return "nothing to compact; --keep 0 compacts the newest messages too".to_owned();
    }
    let turns = text::count(i32::try_from(done.turns).unwrap_or(i32::MAX), "message", "messages");
    let summaries = done.summary_ids.join("\n");
    let by = match done.summarized_by() {
        v1::SummarizedBy::ModelLater => "\nthe language model rewords them in the background",
        v1::SummarizedBy::RulesInstead => {
            "\nthe language model gave no usable answer; these are the original sentences"
        }
        _ => "",
    };
    format!("{turns} of session {session} summarized:\n{summaries}{by}")
}
