//! `kimberly export`: everything a user has, as JSON lines that `kimberly import` reads.
//!
//! The first line names the format, then come settings, goals, and memories from the oldest to the newest, each line an
//! object with a `kind`.

use std::fs::{self, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use kimberly_proto::v1;
use serde_json::{Value, json};

use crate::context::Context;
use crate::error::{CliError, CliResult};
use crate::filter::FilterArgs;
use crate::{json, names};

/// The version of the format.
const VERSION: u32 = 1;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Where to write; `-` is stdout
    #[arg(default_value = "-")]
    file: PathBuf,
    /// Leave out settings and goals
    #[arg(long)]
    memories_only: bool,
    #[command(flatten)]
    filter: FilterArgs,
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        if self.file.as_os_str() == "-" {
            let count = self.write(context, &mut BufWriter::new(io::stdout().lock())).await?;
            context.out.note(&format!("exported {count} memories"));
            return Ok(());
        }
        let part = self.file.with_added_extension("part");
        let file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&part);
        let file = file.map_err(|error| unwritable(&part, &error))?;
        let mut out = BufWriter::new(file);
        let count = self.write(context, &mut out).await?;
        let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.sync_all()?;
        fs::rename(&part, &self.file).map_err(|error| unwritable(&self.file, &error))?;
        let name = self.file.display();
        context.out.answer(
            || json!({"file": name.to_string(), "memories": count}),
            || format!("exported {count} memories to {name}"),
        )
    }

    async fn write(&self, context: &Context, out: &mut impl Write) -> CliResult<u64> {
        let client = context.connect().await?;
        writeln!(out, "{}", json!({"kind": "export", "version": VERSION, "user_id": context.user}))?;
        if !self.memories_only {
            let request = v1::GetSettingsRequest { user_id: context.user.clone() };
            let held = client.settings().get_settings(request).await?.into_inner();
            writeln!(out, "{}", settings_line(&held.user_settings.unwrap_or_default()))?;
            for goal in super::goals::all(context, 0).await? {
                writeln!(out, "{}", goal_line(&goal))?;
            }
        }
        let mut filter = self.filter.to_proto();
        if filter.states.is_empty() {
            filter.states = vec![1, 2, 3];
        }
        let (mut count, mut page_token) = (0, String::new());
        loop {
            let request = v1::ListMemoriesRequest {
                user_id: context.user.clone(),
                filter: Some(filter.clone()),
                page_size: 1_000,
                page_token,
                order: v1::ListOrder::OldestFirst.into(),
            };
            let page = client.memories().list_memories(request).await?.into_inner();
            for memory in &page.memories {
                writeln!(out, "{}", memory_line(memory))?;
                count += 1;
            }
            page_token = page.next_page_token;
            if page_token.is_empty() {
                out.flush()?;
                return Ok(count);
            }
        }
    }
}

fn unwritable(path: &Path, error: &io::Error) -> CliError {
    CliError::usage(format!("{} cannot be written: {error}", path.display()))
}

/// The line of a memory.
pub(crate) fn memory_line(memory: &v1::Memory) -> Value {
    of_kind("memory", json::memory(memory))
}

/// The line of a goal; its own kind is `kind_of_goal`.
pub(crate) fn goal_line(goal: &v1::Goal) -> Value {
    let mut line = json::goal(goal);
    line["kind_of_goal"] = Value::String(names::goal_kind(goal.kind));
    of_kind("goal", line)
}

/// The line of the user's settings.
pub(crate) fn settings_line(settings: &v1::UserSettings) -> Value {
    of_kind("settings", json::user_settings(settings))
}

fn of_kind(kind: &str, mut line: Value) -> Value {
    line["kind"] = Value::String(kind.to_owned());
    line
}
