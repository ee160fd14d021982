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
    let mut parts = vec![leaving(run)];
    if !answer.decisions.is_empty() {
        parts.push(format!("{}\n", view::decisions(&answer.decisions)));
    }
    parts.push(format!("{}\n", view::tiers(run)));
    parts.push(format!("{}, as of {}; nothing was changed", view::run(run), time::minute(run.as_of.as_ref())));
    if !answer.plan_token.is_empty() {
        parts
            .push(format!("to execute exactly this plan: kimberly meditate {flags}--plan {}{user}", answer.plan_token));
    }
    parts.join("\n")
}

/// What would be archived or erased, in a sentence.
fn leaving(run: &v1::Meditation) -> String {
    let part = |count: i64, bytes: i64| {
        if count == 0 { "nothing".to_owned() } else { format!("{} ({})", text::memories(count), text::bytes(bytes)) }
    };
    if run.archived == 0 && run.pruned == 0 {
        return "nothing would be archived or erased\n".to_owned();
    }
    let (archived, erased) = (part(run.archived, run.archived_bytes), part(run.pruned, run.pruned_bytes));
    format!("{archived} would be archived, {erased} erased\n")
}

/// Prints progress and decisions of a run until it ends; a failed run is an error.
pub(crate) async fn watch(context: &Context, client: &Client, id: String) -> CliResult {
    let request = v1::WatchMeditationRequest { user_id: context.user.clone(), id };
    let mut events = client.meditations().watch_meditation(request).await?.into_inner();
    let (mut last, mut begun) = (None, false);
    while let Some(event) = events.message().await? {
        match &event.event {
            Some(Event::Progress(run)) => {
                context.out.answer(|| json::of(&event), || view::run(run))?;
                last = Some(run.clone());
            }
            Some(Event::Decision(decision)) => {
                let header =
                    if std::mem::replace(&mut begun, true) { String::new() } else { view::arriving_header() + "\n" };
                context.out.answer(|| json::of(&event), || header + &view::arriving(decision))?;
            }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_begins_with_what_would_be_archived_or_erased() {
        let decision = |position, action: v1::DecisionAction| v1::Decision {
            position,
            action: action.into(),
            memory_id: format!("mem_0190f1f0-0000-7000-8000-00000000000{position}"),
            size_bytes: 100,
            ..v1::Decision::default()
        };
        let actions = [v1::DecisionAction::Weigh, v1::DecisionAction::Archive, v1::DecisionAction::Delete];
        let answer = v1::MeditateResponse {
            decisions: actions.into_iter().zip(1..).map(|(action, position)| decision(position, action)).collect(),
            ..v1::MeditateResponse::default()
        };
        let run =
            v1::Meditation { archived: 1, archived_bytes: 100, pruned: 1, pruned_bytes: 200, ..Default::default() };
        let shown = plan(&answer, &run, "", "");
        assert!(shown.starts_with("1 memory (100 B) would be archived, 1 memory (200 B) erased\n"), "{shown}");
        let at = |word: &str| shown.find(word).unwrap_or(usize::MAX);
        let order = [at(" archive "), at(" delete "), at("other changes"), at(" weigh "), at("nothing was changed")];
        assert!(order.is_sorted() && order[4] < usize::MAX, "{shown}");
        let none = plan(&v1::MeditateResponse::default(), &v1::Meditation::default(), "", "");
        assert!(none.starts_with("nothing would be archived or erased\n"), "{none}");
    }

    #[test]
    fn decisions_arrive_in_columns() {
        let actions = [v1::DecisionAction::Weigh, v1::DecisionAction::Recalibrate, v1::DecisionAction::Archive];
        let lines = actions.map(|action| {
            let memory_id = "mem_0190f1f0-0000-7000-8000-00000a123456".to_owned();
            let size_bytes = 7_i64.pow(u32::try_from(i32::from(action)).unwrap_or_default());
            let explanation = "because".to_owned();
            view::arriving(&v1::Decision {
                action: action.into(),
                memory_id,
                size_bytes,
                explanation,
                ..Default::default()
            })
        });
        let header = view::arriving_header();
        let column = |line: &str, word: &str| line.find(word).map(|at| line[..at].chars().count());
        for line in &lines {
            assert_eq!(column(line, "0a123456"), column(&header, "id"), "{line}");
            assert_eq!(column(line, "because"), column(&header, "tier and why"), "{line}");
        }
    }
}
