//! `kimberly goals`

use clap::Subcommand;
use kimberly_proto::v1;
use prost_types::FieldMask;

use crate::context::Context;
use crate::error::{CliError, CliResult};
use crate::ids::Kind;
use crate::names::{GoalKindArg, GoalStatusArg};
use crate::pages;
use crate::view::{Short, decimal, table};
use crate::{ids, json, names, text, time};

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// List goals, newest first
    List {
        /// Only of this status
        #[arg(long, value_enum)]
        status: Option<GoalStatusArg>,
    },
    /// Add a goal
    Add(Add),
    /// Mark a goal as completed or abandoned: it stays, but no longer counts
    Done {
        /// The goal's id
        id: String,
    },
    /// Remove goals
    Remove {
        /// The goals' ids
        #[arg(required = true)]
        ids: Vec<String>,
    },
}

#[derive(clap::Args)]
struct Add {
    /// The goal in a few words
    title: String,
    /// A longer description
    #[arg(long, default_value = "", hide_default_value = true)]
    description: String,
    /// A tag; memories with the same tag are relevant; can be repeated
    #[arg(long, value_name = "TAG")]
    tag: Vec<String>,
    /// What it is
    #[arg(long, value_enum, default_value = "goal")]
    kind: GoalKindArg,
    /// Its importance, above 0 and at most 1
    #[arg(long, default_value_t = 1.0)]
    importance: f64,
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        match self.command {
            Command::List { status } => list(context, status).await,
            Command::Add(goal) => add(context, goal).await,
            Command::Done { id } => done(context, id).await,
            Command::Remove { ids } => remove(context, ids).await,
        }
    }
}

async fn list(context: &Context, status: Option<GoalStatusArg>) -> CliResult {
    let client = context.connect().await?;
    let goals = pages::goals(&client, &context.user, status.map_or(0, Into::into)).await?;
    let answer = v1::ListGoalsResponse { goals, next_page_token: String::new() };
    context.out.answer(
        || json::of(&answer),
        || {
            if answer.goals.is_empty() {
                "no goals; `kimberly goals add \"learn to sail\"` adds one".to_owned()
            } else {
                rows(&answer.goals)
            }
        },
    )
}

async fn add(context: &Context, new: Add) -> CliResult {
    let goal = v1::Goal {
        kind: new.kind.into(),
        title: new.title,
        description: new.description,
        tags: new.tag,
        importance: new.importance,
        ..v1::Goal::default()
    };
    let request = v1::CreateGoalRequest { user_id: context.user.clone(), goal: Some(goal), request_id: String::new() };
    let answer = context.connect().await?.goals().create_goal(request).await?.into_inner();
    context.out.answer(|| json::of(&answer), || answer.goal.clone().unwrap_or_default().id)
}

async fn done(context: &Context, id: String) -> CliResult {
    let client = context.connect().await?;
    let id = ids::one(context, &client, Kind::Goal, id).await?;
    let goal = v1::Goal { id, status: v1::GoalStatus::Done.into(), ..v1::Goal::default() };
    let request = v1::UpdateGoalRequest {
        user_id: context.user.clone(),
        goal: Some(goal),
        update_mask: Some(FieldMask { paths: vec!["status".to_owned()] }),
        request_id: String::new(),
    };
    let answer = client.goals().update_goal(request).await?.into_inner();
    context.out.answer(|| json::of(&answer), || format!("{} is done", answer.goal.clone().unwrap_or_default().id))
}

async fn remove(context: &Context, typed: Vec<String>) -> CliResult {
    let client = context.connect().await?;
    let ids = ids::all(context, &client, Kind::Goal, typed).await?;
    let mut client = client.goals();
    for id in ids {
        let request =
            v1::DeleteGoalRequest { user_id: context.user.clone(), id: id.clone(), request_id: String::new() };
        let answer =
            client.delete_goal(request).await.map_err(|status| CliError::from(status).during(&id))?.into_inner();
        context.out.answer(|| json::of(&answer), || format!("{id} is removed"))?;
    }
    Ok(())
}

fn rows(goals: &[v1::Goal]) -> String {
    let short = Short::of(goals.iter().map(|goal| goal.id.as_str()));
    let mut rows = table(&["id", "goal", "kind", "status", "importance", "tags", "changed"]);
    for goal in goals {
        rows.add_row([
            short.id(&goal.id).into(),
            text::line(&goal.title, 120).into(),
            names::goal_kind(goal.kind).into(),
            names::goal_status(goal.status).into(),
            decimal(goal.importance),
            text::line(&goal.tags.join(", "), 80).into(),
            time::ago(goal.updated_at.as_ref()).into(),
        ]);
    }
    rows.trim_fmt()
}
