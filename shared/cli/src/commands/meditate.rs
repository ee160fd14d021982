//! `kimberly meditate`

use kimberly_proto::v1;
use kimberly_proto::v1::watch_meditation_response::Event;

use super::review;
use crate::client::Client;
use crate::context::Context;
use crate::error::{CliError, CliResult};
use crate::{json, names, text, time, view};

#[derive(clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct Args {
    /// Show the full plan (what, why, bytes) and change nothing
    #[arg(long, conflicts_with_all = ["plan", "watch"])]
    dry_run: bool,
    /// Score all memories, not only new, used or never scored ones
    #[arg(long)]
    full: bool,
    /// Run only this step, such as retain (docs/nights.md lists them); may be repeated
    #[arg(long = "step", value_name = "NAME")]
    steps: Vec<String>,
    /// Score and change only this memory; may be repeated
    #[arg(long = "id", value_name = "ID")]
    ids: Vec<String>,
    /// Execute exactly the plan that a dry run showed, or nothing if the vault has changed since
    #[arg(long, value_name = "TOKEN", default_value = "", hide_default_value = true)]
    plan: String,
    /// Follow the run until it ends
    #[arg(long)]
    watch: bool,
    /// Show merges that a night would leave for review, each as a diff, and change nothing
    #[arg(long, conflicts_with_all = ["dry_run", "full", "steps", "ids", "plan", "watch"])]
    review: bool,
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        if self.review {
            return review::merges(context).await;
        }
        let client = context.connect().await?;
        let request = v1::MeditateRequest {
            user_id: context.user.clone(),
            dry_run: self.dry_run,
            full: self.full,
            plan_token: self.plan.clone(),
            request_id: String::new(),
            steps: self.steps.clone(),
            ids: self.ids.clone(),
        };
        let answer = client.meditations().meditate(request).await?.into_inner();
        let run = answer.meditation.clone().unwrap_or_default();
        if self.watch {
            return watch(context, &client, run.id).await;
        }
        context.out.answer(
            || json::of(&answer),
            || {
                if self.dry_run {
                    plan(&answer, &run, &self.flags(), &context.user_flag)
                } else {
                    scheduled(&run, &context.user_flag)
                }
            },
        )
    }
}

impl Args {
    /// The flags that the real run of a plan must repeat, each with a trailing space.
    fn flags(&self) -> String {
        let full = self.full.then(|| "--full ".to_owned());
        let steps = self.steps.iter().map(|step| format!("--step {step} "));
        full.into_iter().chain(steps).chain(self.ids.iter().map(|id| format!("--id {id} "))).collect()
    }
}

fn scheduled(run: &v1::Meditation, user: &str) -> String {
    let (id, state) = (&run.id, names::meditation_status(run.status));
    format!("{id} is {state}; follow it with `kimberly meditations watch {id}{user}`")
}

fn plan(answer: &v1::MeditateResponse, run: &v1::Meditation, flags: &str, user: &str) -> String {
    let mut parts = Vec::new();
    if answer.decisions.is_empty() {
        parts.push("nothing to archive or erase".to_owned());
    } else {
        parts.push(view::decisions(&answer.decisions));
    }
    parts.push(view::tiers(run));
    parts.push(format!("{}, as of {}; nothing was changed", view::run(run), time::minute(run.as_of.as_ref())));
    if !answer.plan_token.is_empty() {
        parts
            .push(format!("to execute exactly this plan: kimberly meditate {flags}--plan {}{user}", answer.plan_token));
    }
    parts.join("\n")
}

/// Prints progress and decisions of a run until it ends; a failed run is an error.
pub(crate) async fn watch(context: &Context, client: &Client, id: String) -> CliResult {
    let request = v1::WatchMeditationRequest { user_id: context.user.clone(), id };
    let mut events = client.meditations().watch_meditation(request).await?.into_inner();
    let mut last = None;
    while let Some(event) = events.message().await? {
        match &event.event {
            Some(Event::Progress(run)) => {
                context.out.answer(|| json::of(&event), || view::run(run))?;
                last = Some(run.clone());
            }
            Some(Event::Decision(decision)) => context.out.answer(|| json::of(&event), || decided(decision))?,
            None => {}
        }
    }
    ended(last)
}

fn ended(last: Option<v1::Meditation>) -> CliResult {
    match last {
        Some(run) if run.status == i32::from(v1::MeditationStatus::Complete) => Ok(()),
        Some(run) if run.status == i32::from(v1::MeditationStatus::Failed) => {
            Err(CliError::failed(format!("the meditation failed: {}", text::printable(&run.error))))
        }
        _ => Err(CliError::failed("the server ended the stream before the meditation; watch it again")),
    }
}

fn decided(decision: &v1::Decision) -> String {
    let why =
        if decision.explanation.is_empty() { names::reason(decision.reason) } else { decision.explanation.clone() };
    let size = text::bytes(decision.size_bytes);
    format!(
        "{:>6}  {:<8} {}  {size}  {}",
        decision.position,
        names::action(decision.action),
        decision.memory_id,
        text::line(&why, 200)
    )
}
