//! The program that moves the data, and its messages.

use indicatif::ProgressBar;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::context::Context;
use crate::error::{CliError, CliResult};
use crate::program::Program;
use crate::progress;

/// How the program ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    CaughtUp { from: String, to: String },
    Moved { from: String, to: String, users: u64, vaults: u64, rows: u64, digest: String },
    MovedBefore { from: String, to: String },
}

impl Ended {
    pub(super) fn to_json(&self) -> Value {
        match self {
            Self::CaughtUp { from, to } => json!({"state": "caught_up", "from": from, "to": to}),
            Self::Moved { from, to, users, vaults, rows, digest } => json!({
                "state": "moved", "from": from, "to": to, "users": users, "vaults": vaults, "rows": rows, "sha256": digest,
            }),
            Self::MovedBefore { from, to } => json!({"state": "moved_before", "from": from, "to": to}),
        }
    }
}

/// A message of the program.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Line {
    Pass { users: u64, checking: bool },
    At { users: u64, copied: u64, rows: u64 },
    CaughtUp { from: String, to: String, waits: bool },
    Moved { from: String, to: String, users: u64, vaults: u64, rows: u64, digest: String },
    MovedBefore { from: String, to: String },
    Failed { message: String, code: u8 },
}

/// Runs the program and shows its progress until it ends.
pub(super) async fn run(plan: &Value, context: &Context) -> CliResult<Ended> {
    let mut program = Program::start("migrate")?;
    program.send(plan).await?;
    let (mut bar, mut ended) = (progress::users(0, "looked at"), None);
    while let Some(line) = program.next().await? {
        if let Some(now) = shown(context, line, &mut bar)? {
            ended = Some(now);
        }
    }
    bar.finish_and_clear();
    let status = program.end().await?;
    ended.ok_or_else(|| cut(status))
}

/// Shows a message; returns the end if the message is one.
fn shown(context: &Context, line: Line, bar: &mut ProgressBar) -> CliResult<Option<Ended>> {
    match line {
        Line::Pass { users, checking } => {
            bar.finish_and_clear();
            *bar = progress::users(users, if checking { "compared" } else { "looked at" });
        }
        Line::At { users, copied, rows } => {
            bar.set_position(users);
            if rows > 0 {
                bar.set_message(format!("checked, {copied} of them copied with {rows} rows"));
            }
        }
        Line::CaughtUp { from, to, waits } => {
            bar.finish_and_clear();
            if !waits {
                return Ok(Some(Ended::CaughtUp { from, to }));
            }
            context.out.note(&format!(
                "everything in {from} is copied to {to}, and new writes are copied, too; to finish, stop all \
                 processes of Kimberly that work on {from}"
            ));
        }
        Line::Moved { from, to, users, vaults, rows, digest } => {
            return Ok(Some(Ended::Moved { from, to, users, vaults, rows, digest }));
        }
        Line::MovedBefore { from, to } => return Ok(Some(Ended::MovedBefore { from, to })),
        Line::Failed { message, code } => {
            bar.finish_and_clear();
            return Err(if code == 2 { CliError::usage(message) } else { CliError::failed(message) });
        }
    }
    Ok(None)
}

/// The program ended without a message.
fn cut(status: std::process::ExitStatus) -> CliError {
    CliError::failed(format!(
        "the worker ended ({status}) before the migration was complete; nothing is lost, run this again"
    ))
}
