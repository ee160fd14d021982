//! `kimberly observe`

mod messages;

use std::fs;

use futures::stream;
use kimberly_proto::v1::observe_stream_request::Part;
use kimberly_proto::v1::{self, MessageOutcome as Outcome};
use prost::Message as _;

use crate::client::Client;
use crate::context::Context;
use crate::error::{CliError, CliResult};
use crate::{input, json, text};

/// Maximum messages and bytes per call; more are streamed.
const AT_ONCE: usize = 1_000;
const BYTES_AT_ONCE: usize = 4 * 1024 * 1024;

#[derive(clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct Args {
    /// A file with messages, {"role", "content"}, as a JSON list or one on each line; `-` reads stdin
    file: String,
    /// Their session
    #[arg(long)]
    session: String,
    /// The namespace to store them in, such as an application's name
    #[arg(long, value_name = "NAME", default_value = "", hide_default_value = true)]
    namespace: String,
    /// They are sensitive, which needs a consent (`kimberly consent grant`)
    #[arg(long)]
    sensitive: bool,
    /// Also store messages that instruct the assistant
    #[arg(long)]
    keep_system: bool,
    /// Wait for extraction, and show what was learned
    #[arg(long, conflicts_with = "no_extract")]
    wait: bool,
    /// Extract nothing from them
    #[arg(long)]
    no_extract: bool,
    /// Store nothing; show what would be learned
    #[arg(long, conflicts_with_all = ["wait", "no_extract"])]
    dry_run: bool,
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        let (extraction, wait, dry_run) = (self.extraction(), self.wait, self.dry_run);
        let raw = if self.file == "-" { input::bytes()? } else { fs::read(&self.file)? };
        let request = v1::ObserveRequest {
            user_id: context.user.clone(),
            session_id: self.session,
            messages: messages::read(&raw).map_err(CliError::usage)?,
            namespace: self.namespace,
            sensitive: self.sensitive,
            keep_system: self.keep_system,
            request_id: String::new(),
            extraction: extraction.into(),
            dry_run,
        };
        let client = context.connect().await?;
        if dry_run {
            let said: Vec<String> = request.messages.iter().map(|message| message.content.clone()).collect();
            let answer = previewed(&client, request).await?;
            return context.out.answer(|| json::of(&answer), || would_learn(&answer, &said));
        }
        let all = if request.messages.len() > AT_ONCE || request.encoded_len() > BYTES_AT_ONCE {
            streamed(&client, request).await?
        } else {
            client.conversations().observe(request).await?.into_inner()
        };
        let learned = if wait { learned(context, &client, &all).await? } else { String::new() };
        context.out.answer(|| json::of(&all), || format!("{}{learned}", told(&all)))
    }

    const fn extraction(&self) -> v1::ExtractionMode {
        match (self.wait, self.no_extract) {
            (true, _) => v1::ExtractionMode::Wait,
            (_, true) => v1::ExtractionMode::Skip,
            _ => v1::ExtractionMode::Unspecified,
        }
    }
}

/// Maximum records shown.
const SHOWN: usize = 20;
/// Width of each record, in columns.
const WIDTH: usize = 64;

/// What was learned, one line per new record.
async fn learned(context: &Context, client: &Client, answer: &v1::ObserveResponse) -> Result<String, CliError> {
    let of = |ids: fn(&v1::ExtractedTurn) -> &Vec<String>| answer.extracted.iter().flat_map(ids).collect::<Vec<_>>();
    let (made, merged) = (of(|turn| &turn.made_ids), of(|turn| &turn.merged_ids));
    let mut said = vec![format!("{} learned", text::count(made.len(), "record", "records"))];
    if !merged.is_empty() {
        said.push(format!("{} said again", merged.len()));
    }
    let superseded = of(|turn| &turn.superseded_ids).len();
    if superseded > 0 {
        said.push(format!("{superseded} superseded"));
    }
    let mut lines = vec![format!("\n{}", said.join(", "))];
    for id in made.iter().take(SHOWN) {
        let request = v1::GetMemoryRequest { user_id: context.user.clone(), id: (*id).clone(), ..Default::default() };
        let memory = client.memories().get_memory(request).await?.into_inner().memory.unwrap_or_default();
        lines.push(shown(memory.kind(), &memory.content));
    }
    if made.len() > SHOWN {
        lines.push(format!("  and {} more", made.len() - SHOWN));
    }
    if answer.extracted.iter().any(|turn| turn.extracted_by() == v1::ExtractedBy::RulesInstead) {
        lines.push("the language model did not answer; only rules were used".to_owned());
    }
    Ok(lines.join("\n"))
}

/// Previews what would be learned, in batches: a stream cannot be a dry run.
async fn previewed(client: &Client, mut request: v1::ObserveRequest) -> Result<v1::ObserveResponse, CliError> {
    let mut all = v1::ObserveResponse::default();
    for messages in pieces(std::mem::take(&mut request.messages)) {
        let piece = v1::ObserveRequest { messages, ..request.clone() };
        all.extracted.extend(client.conversations().observe(piece).await?.into_inner().extracted);
    }
    Ok(all)
}

/// Splits messages into batches that fit a call, in order.
fn pieces(messages: Vec<v1::Message>) -> Vec<Vec<v1::Message>> {
    let mut pieces: Vec<Vec<v1::Message>> = Vec::new();
    let mut bytes = 0;
    for message in messages {
        let own = message.encoded_len();
        match pieces.last_mut() {
            Some(piece) if piece.len() < AT_ONCE && bytes + own <= BYTES_AT_ONCE => {
                piece.push(message);
                bytes += own;
            }
            _ => {
                pieces.push(vec![message]);
                bytes = own;
            }
        }
    }
    pieces
}

/// What would be learned, with what the judge makes of each sentence. The answer contains each message, or none if
/// extraction is off.
fn would_learn(answer: &v1::ObserveResponse, said: &[String]) -> String {
    if answer.extracted.is_empty() {
        return "nothing would be learned: extraction is off on this server ([extraction] enabled = false)".to_owned();
    }
    let made: usize = answer.extracted.iter().map(|turn| turn.statements.len()).sum();
    let mut lines = vec![format!("would learn {}", text::count(made, "record", "records"))];
    let all = answer.extracted.iter().zip(said).flat_map(|(turn, said)| judged(turn, said));
    let (kept, left): (Vec<_>, Vec<_>) = all.partition(|(is_kept, _)| *is_kept);
    for (heading, listed) in [("", kept), ("left out", left)] {
        if !heading.is_empty() && !listed.is_empty() {
            lines.push(heading.to_owned());
        }
        lines.extend(listed.iter().take(SHOWN).map(|(_, line)| line.clone()));
        if listed.len() > SHOWN {
            lines.push(format!("  and {} more", listed.len() - SHOWN));
        }
    }
    lines.join("\n")
}

/// The claims of a message, each with whether it is kept, and with its verdict and its reasons.
fn judged(turn: &v1::ExtractedTurn, said: &str) -> Vec<(bool, String)> {
    let lines = turn.judged.iter().map(|claim| {
        let kept = turn.statements.iter().find(|one| one.start_byte == claim.start_byte);
        let first = if let Some(one) = kept {
            shown(one.kind(), &one.content)
        } else {
            let part = usize::try_from(claim.start_byte).ok().zip(usize::try_from(claim.end_byte).ok());
            let part = part.and_then(|(from, to)| said.get(from..to)).unwrap_or_default();
            format!("  {}", text::line(part, WIDTH))
        };
        let slot = if claim.slot.is_empty() { String::new() } else { format!(", {}", claim.slot) };
        let reasons = claim.reasons.join("; ");
        let verdict = format!("{:.2} {}, {}{slot}", claim.probability, claim.owner, claim.polarity);
        (kept.is_some(), format!("{first}\n      {}", text::line(&format!("{verdict}: {reasons}"), WIDTH)))
    });
    lines.collect()
}

fn shown(kind: v1::Kind, content: &str) -> String {
    let kind = kind.as_str_name().trim_start_matches("KIND_").to_lowercase();
    format!("  {kind}: {}", text::line(content, WIDTH))
}

/// Streams all messages and combines the answers.
async fn streamed(client: &Client, request: v1::ObserveRequest) -> Result<v1::ObserveResponse, CliError> {
    let start = v1::ObserveStart {
        user_id: request.user_id,
        session_id: request.session_id,
        namespace: request.namespace,
        sensitive: request.sensitive,
        keep_system: request.keep_system,
        extraction: request.extraction,
    };
    let parts = std::iter::once(Part::Start(start)).chain(request.messages.into_iter().map(Part::Message));
    let requests = stream::iter(parts.map(|part| v1::ObserveStreamRequest { part: Some(part) }));
    let mut answers = client.conversations().observe_stream(requests).await.map_err(CliError::of_stream)?.into_inner();
    let mut all = v1::ObserveResponse::default();
    while let Some(answer) = answers.message().await.map_err(CliError::of_stream)? {
        let piece = answer.piece.unwrap_or_default();
        all.messages.extend(piece.messages);
        all.stored += piece.stored;
        all.archived += piece.archived;
        all.extracted.extend(piece.extracted);
    }
    Ok(all)
}

fn told(answer: &v1::ObserveResponse) -> String {
    let count = |outcome| answer.messages.iter().filter(|one| one.outcome() == outcome).count();
    let mut said = vec![format!("{} stored", text::count(answer.stored, "message", "messages"))];
    for (outcome, what) in [
        (Outcome::Duplicate, "stored before"),
        (Outcome::Empty, "empty"),
        (Outcome::System, "instructions for the assistant (--keep-system stores them)"),
        (Outcome::HandedOut, "that Kimberly returned itself"),
        (Outcome::Past, "older than the stored ones"),
        (Outcome::Forgotten, "forgotten before"),
        (Outcome::Invalid, "left out"),
    ] {
        if count(outcome) > 0 {
            said.push(format!("{} {what}", count(outcome)));
        }
    }
    let cut = answer.messages.iter().filter(|one| one.cut).count();
    if cut > 0 {
        said.push(format!("{cut} cut"));
    }
    let masked = answer.messages.iter().filter(|one| one.masked).count();
    if masked > 0 {
        said.push(format!("{masked} with secrets, which were masked"));
    }
    let parts = answer.messages.iter().filter(|one| one.without_forgotten).count();
    if parts > 0 {
        said.push(format!("{parts} without what was forgotten"));
    }
    if answer.archived > 0 {
        said.push(format!("{} archived to make room", text::count(answer.archived, "turn", "turns")));
    }
    let problems = answer.messages.iter().filter(|one| !one.problem.is_empty());
    let problems = problems.take(SHOWN).map(|one| format!("  {}", one.problem));
    [said.join(", ")].into_iter().chain(problems).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_retain_the_order_and_respect_both_bounds_of_a_call() {
        let of = |bytes: usize| v1::Message { content: "x".repeat(bytes), ..v1::Message::default() };
        let sizes = |messages| pieces(messages).iter().map(Vec::len).collect::<Vec<_>>();
        assert_eq!(sizes(vec![of(1); 2 * AT_ONCE + 1]), [AT_ONCE, AT_ONCE, 1]);
        let (large, small) = (of(BYTES_AT_ONCE * 3 / 4), of(1));
        assert_eq!(sizes(vec![small.clone(), large.clone(), large, small]), [2, 2]);
        assert!(sizes(Vec::new()).is_empty());
    }

    #[test]
    fn dry_run_says_when_extraction_is_off() {
        assert!(would_learn(&v1::ObserveResponse::default(), &[]).contains("extraction is off"));
        let read = v1::ObserveResponse { extracted: vec![v1::ExtractedTurn::default()], ..Default::default() };
        assert_eq!(would_learn(&read, &[String::new()]), "would learn 0 records");
    }
}
