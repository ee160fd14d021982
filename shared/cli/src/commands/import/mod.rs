//! `kimberly import`: Kimberly's own export (an archive, or JSON lines) or conversations in the shape of LoCoMo, told apart
//! by looking.
//!
//! What is sent depends on the file alone, under an import id that is the file's hash: running an import again stores
//! nothing twice, and goes on where it was cut. An archive or a file of lines is read through once to see that it is whole
//! and that all of it can be understood, and then sent as it is read, so that it may be of any size. Either may be encrypted
//! with age; the hash is that of what is in the envelope, so that it does not matter which one it lies in.

mod archive;
mod attachments;
mod consents;
mod fields;
mod items;
mod lines;
mod locomo;
mod opening;
mod records;
mod send;
mod source;
mod stream;

use std::path::PathBuf;
use std::time::Instant;

use items::Items;
use kimberly_proto::v1;
use serde_json::{Value, json};
use source::Source;
use stream::Sent;

use crate::context::Context;
use crate::envelope::OpeningArgs;
use crate::error::{CliError, CliResult};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The file; `-` reads stdin
    file: PathBuf,
    /// Name of the users that conversations become, followed by -1, -2, ...
    #[arg(long, default_value = "locomo", value_name = "NAME")]
    prefix: String,
    /// From an export of version 1, which brings new memories: also those that had been deleted
    #[arg(long)]
    with_deleted: bool,
    /// Leave out for good what is sensitive and under no consent, instead of ending there until one is recorded
    #[arg(long)]
    skip_uncovered: bool,
    /// Read the file and say what it holds, without sending anything
    #[arg(long)]
    check: bool,
    #[command(flatten)]
    opening: OpeningArgs,
}

/// What goes to one user.
#[derive(Debug)]
struct Load {
    user: String,
    items: Items,
    /// How many memories these are.
    memories: u64,
    /// How many attachments come behind them.
    attachments: u64,
    consents: Vec<v1::Consent>,
    goals: Vec<v1::Goal>,
    /// Whether goals keep the ids and times that they come with.
    goals_are_records: bool,
    settings: Option<lines::Settings>,
    /// Memories left out because they were deleted.
    skipped: u64,
    /// Whether the server leaves out what lacks a consent.
    skip_uncovered: bool,
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        let started = Instant::now();
        let source = Source::open(&self.file, &self.opening)?;
        let mut loads = self.loads(&source, &context.user)?;
        for load in &mut loads {
            load.skip_uncovered = self.skip_uncovered;
        }
        let mut sent = Vec::new();
        if !self.check {
            let deleted = if self.with_deleted { "-deleted" } else { "" };
            let import_id = format!("{}{deleted}", source.fingerprint()?);
            let client = context.connect().await?;
            sent = send::all(&client, &loads, &import_id).await?;
        }
        let seconds = started.elapsed().as_secs_f64();
        context.out.answer(|| as_json(&loads, &sent), || as_text(&loads, &sent, self.check, seconds))?;
        refusals(&sent)
    }

    fn loads(&self, source: &Source, user: &str) -> CliResult<Vec<Load>> {
        if archive::is_one(source)? {
            return archive::survey(source, user).map(|load| vec![load]);
        }
        if !is_line(&source.first_line()?)
            && let Some(conversations) = locomo::detect(source.text()?.trim_start_matches('\u{feff}').trim())
        {
            return locomo::loads(&conversations, &self.prefix);
        }
        lines::survey(source, user, self.with_deleted).map(|load| vec![load])
    }
}

/// Whether a file that begins like this is one of lines: a conversation may stand on one line, too.
fn is_line(first: &str) -> bool {
    let object: Option<Value> = serde_json::from_str(first).ok();
    object.is_some_and(|object| object.is_object() && object.get("conversation").is_none())
}

/// An error if the server refused anything; the rest is stored.
fn refusals(sent: &[Sent]) -> CliResult {
    let memories = sent.iter().map(|sent| (sent.refused, &sent.complaints));
    let attachments = sent.iter().map(|sent| (sent.attached.refused, &sent.attached.complaints));
    let all = [("memories", of_kind(memories)), ("attachments", of_kind(attachments))];
    let told = all.iter().filter(|(_, (refused, _))| *refused > 0).map(|(what, (refused, complaints))| {
        let complaints = complaints.join("\n  ");
        format!("{refused} {what} were refused:\n  {complaints}")
    });
    let told: Vec<String> = told.collect();
    if told.is_empty() { Ok(()) } else { Err(CliError::failed(told.join("\n"))) }
}

/// How many were refused, and why, as far as that is known.
fn of_kind<'a>(refusals: impl Iterator<Item = (u64, &'a Vec<String>)>) -> (u64, Vec<&'a str>) {
    let (mut refused, mut complaints) = (0, Vec::new());
    for (count, why) in refusals {
        refused += count;
        complaints.extend(why.iter().map(String::as_str));
    }
    if complaints.len() as u64 != refused {
        complaints.push("...");
    }
    (refused, complaints)
}

fn as_json(loads: &[Load], sent: &[Sent]) -> Value {
    let users = loads.iter().enumerate().map(|(index, load)| {
        let mut user = json!({
            "user_id": load.user,
            "memories": load.memories,
            "attachments": load.attachments,
            "consents": load.consents.len(),
            "goals": load.goals.len(),
            "settings": load.settings.is_some(),
            "skipped": load.skipped,
        });
        if let Some(sent) = sent.get(index) {
            user["stored"] = json!(sent.stored());
            user["done_before"] = json!(sent.before);
            user["refused"] = json!(sent.refused);
            user["refused_before"] = json!(sent.refused_before);
            user["attachments_stored"] = json!(sent.attached.stored);
            user["attachments_known"] = json!(sent.attached.known);
            user["attachments_left_out"] = json!(sent.attached.left_out);
            user["attachments_refused"] = json!(sent.attached.refused);
        }
        user
    });
    json!({
        "users": users.collect::<Vec<_>>(),
        "memories": loads.iter().map(|load| load.memories).sum::<u64>(),
    })
}

fn as_text(loads: &[Load], sent: &[Sent], check: bool, seconds: f64) -> String {
    let sum = |of: fn(&Load) -> u64| loads.iter().map(of).sum::<u64>();
    let done = |of: fn(&Sent) -> u64| sent.iter().map(of).sum::<u64>();
    let users = match loads {
        [one] => format!("user {}", one.user),
        [first, .., last] => format!("{} users, {} to {}", loads.len(), first.user, last.user),
        [] => "nobody".to_owned(),
    };
    let goals: usize = loads.iter().map(|load| load.goals.len()).sum();
    let goals = if goals > 0 { format!(" and {goals} goals") } else { String::new() };
    let (verb, memories, attachments) = if check {
        ("would import", sum(|load| load.memories), sum(|load| load.attachments))
    } else {
        ("imported", done(Sent::stored), done(|sent| sent.attached.stored))
    };
    let attachments =
        if sum(|load| load.attachments) > 0 { format!(" and {attachments} attachments") } else { String::new() };
    let left_out = match done(|sent| sent.attached.left_out) {
        0 => String::new(),
        n => format!("; left out {n} attachments of which no memory is there"),
    };
    let before = match (done(|sent| sent.before), done(|sent| sent.refused_before)) {
        (0, _) => String::new(),
        (n, 0) => format!("; {n} were imported before"),
        (n, refused) => format!("; {} were imported before, and {refused} refused", n.saturating_sub(refused)),
    };
    let skipped = match sum(|load| load.skipped) {
        0 => String::new(),
        n => format!("; left out {n} that were deleted (--with-deleted takes them too)"),
    };
    format!("{verb} {memories} memories{attachments}{goals} for {users} in {seconds:.1} s{before}{skipped}{left_out}")
}
