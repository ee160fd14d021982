//! `kimberly embed`

mod machine;
mod offline;
mod work;

use std::path::PathBuf;
use std::time::Duration;

use clap::Subcommand;
use kimberly_proto::v1;
use machine::ModelArgs;

use crate::client::Client;
use crate::context::Context;
use crate::error::{CliError, CliResult};
use crate::{json, names, text, time};

/// Pause between looks at the state of vectors.
const PAUSE: Duration = Duration::from_millis(500);

#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
#[command(
    after_help = "Without --offline the server computes the vectors in the background, now instead of in its window, but within its limits."
)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    /// Wait until the server has computed what its limits allow; fails if vectors are missing then
    #[arg(long, conflicts_with = "offline")]
    wait: bool,
    /// Compute on this machine, with all its processors, and send the vectors; resumes an interrupted run
    #[arg(long, requires = "model")]
    offline: bool,
    #[command(flatten)]
    model: ModelArgs,
    /// File that stores vectors until they are sent [default: kimberly-vectors-<user>.jsonl here]
    #[arg(long, value_name = "FILE", requires = "offline")]
    work: Option<PathBuf>,
    /// Also recompute existing vectors
    #[arg(long, requires = "offline")]
    all: bool,
}

#[derive(Subcommand)]
enum Command {
    /// Show how many vectors exist and are missing, and why
    Status,
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        if let Some(Command::Status) = self.command {
            return status(context).await;
        }
        if self.offline {
            return offline::run(context, self.model, self.work, self.all).await;
        }
        let request = v1::RequestEmbeddingRequest { user_id: context.user.clone(), ..Default::default() };
        let client = context.connect().await?;
        let answer = client.embeddings().request_embedding(request).await?.into_inner();
        if self.wait {
            return wait(context, &client).await;
        }
        let page = page(answer.status.as_ref())?;
        context.out.answer(|| json::of(&answer), || page)?;
        if answer.status.is_some_and(|status| status.state() == v1::EmbeddingState::Pending) {
            let user = &context.user_flag;
            context.out.note(&format!(
                "the server works in the background: `kimberly embed --wait{user}` waits for it, `kimberly embed \
                 status{user}` shows the state"
            ));
        }
        Ok(())
    }
}

async fn status(context: &Context) -> CliResult {
    let answer = current(context, &context.connect().await?).await?;
    let page = page(answer.status.as_ref())?;
    context.out.answer(|| json::of(&answer), || page)
}

async fn current(context: &Context, client: &Client) -> CliResult<v1::GetEmbeddingStatusResponse> {
    let request = v1::GetEmbeddingStatusRequest { user_id: context.user.clone() };
    Ok(client.embeddings().get_embedding_status(request).await?.into_inner())
}

/// Waits until the embedder has done what it may do now, and says on the way how far it is.
async fn wait(context: &Context, client: &Client) -> CliResult {
    let mut said = String::new();
    let answer = loop {
        let answer = current(context, client).await?;
        let status = answer.status.clone().unwrap_or_default();
        if status.state() != v1::EmbeddingState::Pending {
            break answer;
        }
        let line = line(&status);
        if line != said {
            context.out.note(&line);
            said = line;
        }
        tokio::time::sleep(PAUSE).await;
    };
    let page = page(answer.status.as_ref())?;
    context.out.answer(|| json::of(&answer), || page)?;
    let status = answer.status.unwrap_or_default();
    if status.state() == v1::EmbeddingState::InSync {
        return Ok(());
    }
    let missing = text::count(status.missing_vectors, "vector is", "vectors are");
    Err(CliError::failed(format!("{missing} missing: {}", text::printable(&status.reason))))
}

/// The state of the vectors, in one line.
pub(super) fn line(status: &v1::EmbeddingStatus) -> String {
    let state = names::embedding_state(status.state).replace('_', " ");
    let why = if status.reason.is_empty() { state } else { text::printable(&status.reason) };
    format!("vectors: {} of {} ({why})", status.vectors, status.needed_vectors.max(status.vectors))
}

fn page(status: Option<&v1::EmbeddingStatus>) -> CliResult<String> {
    let status = status.ok_or_else(|| CliError::failed("the server answered without a status"))?;
    let model = if status.model.is_empty() { "none answers yet" } else { &status.model };
    let limit =
        |computed: i64, limit: i64| if limit == 0 { computed.to_string() } else { format!("{computed} of {limit}") };
    let failed = match status.failed_items {
        0 => String::new(),
        n => format!("\n{} could not be read by the model", text::count(n, "memory or goal", "memories or goals")),
    };
    let window = if status.window == "always" { "always".to_owned() } else { format!("{} UTC", status.window) };
    let next =
        status.next_run.as_ref().map_or_else(String::new, |at| format!("; next at {} UTC", time::minute(Some(at))));
    Ok(format!(
        "{}\nmodel: {model}; index {}\ncap {}, today {}, this week {}; window {window}{next}\nlast synced {}{failed}",
        line(status),
        text::bytes(status.index_bytes),
        status.vector_cap,
        limit(status.computed_today, status.daily_limit),
        limit(status.computed_this_week, status.weekly_limit),
        time::ago(status.last_run.as_ref()),
    ))
}
