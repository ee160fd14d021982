//! `kimberly import`: Kimberly's own export (an archive or JSON lines), conversations in the shape of LoCoMo, or
//! foreign formats (`formats`), detected by their content. Documents (`documents`) are detected by their names.
//!
//! What is sent depends only on the file, under an import id that is the file's hash: repeating an import stores
//! nothing twice and continues where it was interrupted. An archive or a file of lines is first read completely to
//! validate it, and then sent as it is read again, so that it may have any size. Either may be encrypted with age; the
//! hash is of the decrypted content, so that the encryption does not matter.

mod archive;
mod attachments;
mod documents;
mod fields;
pub(crate) mod formats;
mod items;
mod lines;
mod links;
mod load;
mod locomo;
mod opening;
mod send;
mod source;
mod stream;

use std::path::PathBuf;
use std::time::Instant;

use formats::Format;
use load::{Choices, Load};
use serde_json::{Value, json};
use source::Source;
use stream::Sent;

use crate::context::Context;
use crate::envelope::OpeningArgs;
use crate::error::{CliError, CliResult};
use crate::text::{self, count};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The file: an export of Kimberly, ChatGPT's conversations.json, lists or lines of messages or texts, MCP's
    /// memory.jsonl, a document (.md, .txt, .html), or a folder of these; `-` reads stdin
    file: PathBuf,
    /// The file's format [default: detected from its name and first bytes]
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,
    /// Name of the users that conversations become, followed by -1, -2, ...
    #[arg(long, default_value = "locomo", value_name = "NAME")]
    prefix: String,
    #[command(flatten)]
    choices: Choices,
    /// Read the file and show what it contains, without sending anything
    #[arg(long, visible_alias = "dry-run")]
    check: bool,
    #[command(flatten)]
    opening: OpeningArgs,
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        let started = Instant::now();
        if self.format.map_or_else(|| documents::are_at(&self.file), |format| format == Format::Document) {
            return documents::run(context, &self.file, self.check).await;
        }
        let source = Source::open(&self.file, &self.opening)?;
        let mut loads = self.loads(&source, context)?;
        for load in &mut loads {
            load.choices = self.choices;
        }
        let mut sent = Vec::new();
        if !self.check {
            let read_as =
                loads.iter().find_map(|load| load.read_as).map_or_else(String::new, |name| format!("-{name}"));
            // An import that left things out is done; bringing them back is another one.
            let anew = if self.choices.with_forgotten { "-with-forgotten" } else { "" };
            let import_id = format!("{}{read_as}{anew}", source.fingerprint()?);
            let client = context.connect().await?;
            sent = send::all(&client, &loads, &import_id).await;
        }
        let seconds = started.elapsed().as_secs_f64();
        context.out.answer(|| as_json(&loads, &sent), || as_text(&loads, &sent, self.check, seconds))?;
        let failed = sent.iter_mut().find_map(|sent| sent.failed.take());
        match (failed, refusals(&sent)) {
            (Some(failed), Err(refused)) => Err(failed.and(&refused)),
            (Some(failed), Ok(())) => Err(failed),
            (None, refused) => refused,
        }
    }

    fn loads(&self, source: &Source, context: &Context) -> CliResult<Vec<Load>> {
        let user = &context.user;
        if archive::is_one(source)? {
            return archive::survey(source, user).map(|load| vec![load]);
        }
        match self.format.map_or_else(|| formats::detect(source), Ok)? {
            Format::Kimberly => lines::survey(source, user).map(|load| vec![load]),
            Format::Locomo if !context.user_flag.is_empty() => Err(CliError::usage(format!(
                "each conversation of this file becomes a user of its own, {0}-1, {0}-2, ...: leave out{1}, or name \
                 these users with --prefix",
                self.prefix, context.user_flag
            ))),
            Format::Locomo => {
                let conversations = locomo::detect(source.text()?.trim_start_matches('\u{feff}').trim());
                let conversations = conversations.ok_or_else(|| {
                    CliError::usage("the file is not in LoCoMo's format: a list of objects with a `conversation`")
                })?;
                locomo::loads(&conversations, &self.prefix)
            }
            other => formats::survey(source, other, user).map(|load| vec![load]),
        }
    }
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

/// The number of refusals, and the known reasons.
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
            "userId": load.user,
            "memories": load.memories,
            "attachments": load.attachments,
            "consents": load.consents.len(),
            "goals": load.goals.len(),
            "links": load.links.len(),
            "settings": load.settings.is_some(),
            "leftOut": load.left_out,
            "readAs": load.read_as,
        });
        if let Some(sent) = sent.get(index) {
            user["stored"] = json!(sent.stored());
            user["known"] = json!(sent.known);
            user["forgotten"] = json!(sent.forgotten);
            user["doneBefore"] = json!(sent.before);
            user["refused"] = json!(sent.refused);
            user["refusedBefore"] = json!(sent.refused_before);
            user["complete"] = json!(sent.failed.is_none());
            user["waits"] = json!(sent.waits);
            user["attachmentsStored"] = json!(sent.attached.stored);
            user["attachmentsKnown"] = json!(sent.attached.known);
            user["attachmentsLeftOut"] = json!(sent.attached.left_out);
            user["attachmentsRefused"] = json!(sent.attached.refused);
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
    let goals = if goals > 0 { format!(" and {}", count(goals, "goal", "goals")) } else { String::new() };
    let no_memories = match sum(|load| load.left_out) {
        0 => String::new(),
        n => format!("; omitted {n} with nothing to remember (instructions, tools, other branches, empty ones)"),
    };
    let (verb, memories, attachments) = if check {
        ("would import", sum(|load| load.memories), sum(|load| load.attachments))
    } else {
        ("imported", done(Sent::stored), done(|sent| sent.attached.stored))
    };
    let memories = match (check, sent.iter().any(|sent| sent.failed.is_some())) {
        (false, true) => format!("{memories} of {}", text::memories(sum(|load| load.memories))),
        _ => text::memories(memories),
    };
    let waited = match done(|sent| sent.waits) {
        0 => String::new(),
        n => format!(
            "; waited {} for a meditation, which archives the memories with the lowest scores (`kimberly settings \
             set` raises a quota)",
            count(n, "time", "times")
        ),
    };
    let of_them = |n| count(n, "attachment", "attachments");
    let attachments =
        if sum(|load| load.attachments) > 0 { format!(" and {}", of_them(attachments)) } else { String::new() };
    let left_out = match done(|sent| sent.attached.left_out) {
        0 => String::new(),
        n => format!("; omitted {} whose memories do not exist", of_them(n)),
    };
    let known = match done(|sent| sent.known) {
        0 => String::new(),
        n => format!("; {} already known", count(n, "was", "were")),
    };
    let forgotten = match done(|sent| sent.forgotten) {
        0 => String::new(),
        n => format!("; {} forgotten before and left out", count(n, "was", "were")),
    };
    let before = match (done(|sent| sent.before), done(|sent| sent.refused_before)) {
        (0, _) => String::new(),
        (n, 0) => format!("; {} imported before", count(n, "was", "were")),
        (n, refused) => {
            format!("; {} imported before, and {refused} refused", count(n.saturating_sub(refused), "was", "were"))
        }
    };
    format!(
        "{verb} {memories}{attachments}{goals} for {users} in {seconds:.1} s{before}{known}{forgotten}{no_memories}{left_out}{waited}"
    )
}
