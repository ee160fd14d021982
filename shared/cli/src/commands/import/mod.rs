//! `kimberly import`: Kimberly's own export (JSON lines) or conversations in the shape of LoCoMo, told apart by looking.
//!
//! What is sent depends on the file alone, in batches whose request ids are made from the file's hash and the batch's
//! place: running an import again (within a day) stores nothing twice, and goes on where it was cut.

mod fields;
mod lines;
mod locomo;
mod send;

use std::path::PathBuf;
use std::time::Instant;

use kimberly_proto::v1;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::context::Context;
use crate::error::{CliError, CliResult};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The file; `-` reads stdin
    file: PathBuf,
    /// Name of the users that conversations become, followed by -1, -2, ...
    #[arg(long, default_value = "locomo", value_name = "NAME")]
    prefix: String,
    /// Also import memories that were deleted when they were exported
    #[arg(long)]
    with_deleted: bool,
    /// Read the file and say what it holds, without sending anything
    #[arg(long)]
    check: bool,
}

/// What goes to one user.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Load {
    pub(super) user: String,
    pub(super) drafts: Vec<v1::MemoryDraft>,
    pub(super) goals: Vec<v1::Goal>,
    pub(super) settings: Option<lines::Settings>,
    /// Memories left out because they were deleted.
    pub(super) skipped: usize,
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        let started = Instant::now();
        let raw = self.read()?;
        let loads = self.loads(&raw, &context.user)?;
        if !self.check {
            let client = context.connect().await?;
            send::all(&client, &loads, &fingerprint(&raw)).await?;
        }
        let verb = if self.check { "would import" } else { "imported" };
        context.out.answer(|| as_json(&loads), || as_text(&loads, verb, started.elapsed().as_secs_f64()))
    }

    fn read(&self) -> CliResult<Vec<u8>> {
        let mut raw = Vec::new();
        if self.file.as_os_str() == "-" {
            std::io::Read::read_to_end(&mut std::io::stdin().lock(), &mut raw)?;
        } else {
            raw = std::fs::read(&self.file)
                .map_err(|error| CliError::usage(format!("{} cannot be read: {error}", self.file.display())))?;
        }
        Ok(raw)
    }

    fn loads(&self, raw: &[u8], user: &str) -> CliResult<Vec<Load>> {
        let text = std::str::from_utf8(raw).map_err(|_| CliError::usage("the file is not UTF-8 text"))?;
        let text = text.trim_start_matches('\u{feff}').trim();
        if text.is_empty() {
            return Err(CliError::usage("the file is empty"));
        }
        if let Some(conversations) = locomo::detect(text) {
            return locomo::loads(&conversations, &self.prefix);
        }
        lines::load(text, user, self.with_deleted).map(|load| vec![load])
    }
}

/// The first half of the file's SHA-256, in hex.
fn fingerprint(raw: &[u8]) -> String {
    let hash = format!("{:x}", Sha256::digest(raw));
    hash[..32].to_owned()
}

fn as_json(loads: &[Load]) -> Value {
    let users = loads.iter().map(|load| {
        json!({
            "user_id": load.user,
            "memories": load.drafts.len(),
            "goals": load.goals.len(),
            "settings": load.settings.is_some(),
            "skipped": load.skipped,
        })
    });
    json!({
        "users": users.collect::<Vec<_>>(),
        "memories": loads.iter().map(|load| load.drafts.len()).sum::<usize>(),
    })
}

fn as_text(loads: &[Load], verb: &str, seconds: f64) -> String {
    let memories: usize = loads.iter().map(|load| load.drafts.len()).sum();
    let goals: usize = loads.iter().map(|load| load.goals.len()).sum();
    let skipped: usize = loads.iter().map(|load| load.skipped).sum();
    let users = match loads {
        [one] => format!("user {}", one.user),
        [first, .., last] => format!("{} users, {} to {}", loads.len(), first.user, last.user),
        [] => "nobody".to_owned(),
    };
    let goals = if goals > 0 { format!(" and {goals} goals") } else { String::new() };
    let skipped = match skipped {
        0 => String::new(),
        n => format!("; left out {n} that were deleted (--with-deleted takes them too)"),
    };
    format!("{verb} {memories} memories{goals} for {users} in {seconds:.1} s{skipped}")
}
