//! `kimberly purge`: erases everything of a user, and shows receipts.

use std::time::{Duration, Instant};

use clap::Subcommand;
use kimberly_proto::v1;

use crate::context::Context;
use crate::error::{CliError, CliResult};
use crate::ids::Kind;
use crate::pages;
use crate::patience::patiently;
use crate::view::{Short, table};
use crate::{ids, input, json, text, time};

/// How long to wait for the end of a purge, and the poll interval.
const WAIT: Duration = Duration::from_mins(1);
const BETWEEN: Duration = Duration::from_millis(100);

#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    /// Do not ask for confirmation; requires --user
    #[arg(long)]
    yes: bool,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Show the receipt of a purge, or its progress
    Receipt {
        /// Its id
        id: String,
    },
    /// List the receipts of all users, newest first
    List,
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        match self.command {
            None => purge(context, self.yes).await,
            Some(Command::Receipt { id }) => receipt(context, id).await,
            Some(Command::List) => list(context).await,
        }
    }
}

async fn purge(context: &Context, yes: bool) -> CliResult {
    let user = context.user.clone();
    let confirm_user_id = if yes {
        if !context.user_is_named {
            return Err(CliError::usage("--yes does not ask, so name the user: `kimberly purge --yes --user USER`"));
        }
        user.clone()
    } else {
        context
            .out
            .note(&format!("all data of the user {user} will be erased permanently; type the user's id to continue"));
        input::line()?
    };
    if confirm_user_id != user {
        return Err(CliError::usage(format!("that is not {user}; nothing was erased")));
    }
    let client = context.connect().await?;
    let request = v1::PurgeUserRequest { user_id: user.clone(), confirm_user_id };
    let mut purge = client.erasure().purge_user(request).await?.into_inner().purge.unwrap_or_default();
    let (started, id) = (Instant::now(), purge.id.clone());
    while !is_done(&purge) && started.elapsed() < WAIT {
        tokio::time::sleep(BETWEEN).await;
        let request = v1::GetPurgeRequest { user_id: user.clone(), id: id.clone() };
        purge = patiently(|| {
            let (mut erasure, request) = (client.erasure(), request.clone());
            async move { erasure.get_purge(request).await }
        })
        .await?
        .into_inner()
        .purge
        .unwrap_or_default();
    }
    told(context, purge)
}

async fn receipt(context: &Context, id: String) -> CliResult {
    let client = context.connect().await?;
    let id = ids::one(context, &client, Kind::Purge, id).await?;
    let request = v1::GetPurgeRequest { user_id: String::new(), id };
    told(context, client.erasure().get_purge(request).await?.into_inner().purge.unwrap_or_default())
}

fn told(context: &Context, purge: v1::Purge) -> CliResult {
    let answer = v1::GetPurgeResponse { purge: Some(purge) };
    context.out.answer(|| json::of(&answer), || said(&answer.purge.clone().unwrap_or_default()))
}

async fn list(context: &Context) -> CliResult {
    let all = pages::purges(&context.connect().await?).await?;
    let answer = v1::ListPurgesResponse { purges: all, next_page_token: String::new() };
    let shown = || if answer.purges.is_empty() { "no user was purged".to_owned() } else { rows(&answer.purges) };
    context.out.answer(|| json::of(&answer), shown)
}

fn is_done(purge: &v1::Purge) -> bool {
    purge.state() == v1::PurgeState::Done
}

/// Formats a receipt.
fn said(purge: &v1::Purge) -> String {
    let erased = purge.erased.clone().unwrap_or_default();
    let mut lines = vec![if is_done(purge) {
        format!("{}: all data of the user was erased at {}", purge.id, time::minute(purge.finished_at.as_ref()))
    } else {
        format!("{} is in progress; `kimberly purge receipt {}` shows its progress", purge.id, purge.id)
    }];
    lines.push(format!("user       {} (a pseudonym; the user's id is not stored)", purge.pseudonym));
    lines.push(format!("requested  {} by {}", time::minute(purge.asked_at.as_ref()), purge.asked_by));
    let mut rows: Vec<_> = erased.rows.iter().collect();
    rows.sort();
    let rows: Vec<String> = rows.into_iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    let rows = if erased.unreadable { "damaged, not counted".to_owned() } else { rows.join(", ") };
    lines.push(format!("vault      {}", if rows.is_empty() { "nothing" } else { &rows }));
    let key = if erased.key_file { ", and the key file" } else { "" };
    lines.push(format!("files      {} ({}){key}", erased.files, text::bytes(erased.file_bytes)));
    if erased.keys_revoked + erased.keys_narrowed > 0 {
        lines.push(format!("keys       {} revoked, {} narrowed", erased.keys_revoked, erased.keys_narrowed));
    }
    if is_done(purge) {
        lines.push(format!("audit      entry {} of the system, hash {}", purge.audit_number, purge.audit_hash));
    }
    lines.join("\n")
}

fn rows(purges: &[v1::Purge]) -> String {
    let short = Short::of(purges.iter().map(|purge| purge.id.as_str()));
    let mut rows = table(&["receipt", "asked for", "done", "memories"]);
    for purge in purges {
        let memories = purge.erased.as_ref().and_then(|erased| erased.rows.get("memories")).copied();
        rows.add_row([
            short.id(&purge.id).to_owned(),
            time::minute(purge.asked_at.as_ref()),
            if is_done(purge) { time::minute(purge.finished_at.as_ref()) } else { "under way".to_owned() },
            memories.unwrap_or_default().to_string(),
        ]);
    }
    rows.trim_fmt()
}
