//! `kimberly recall`

use kimberly_proto::v1;
use prost_types::Timestamp;

use crate::context::Context;
use crate::error::CliResult;
use crate::filter::FilterArgs;
use crate::{input, json, text, time, view};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// A question, a few words, or a piece of conversation; "double quotes" ask for the exact phrase; `-` reads stdin
    query: String,
    /// At most this many results, 1 to 100
    #[arg(short = 'k', long, default_value_t = 10)]
    top_k: i32,
    /// Show the parts of each score
    #[arg(long)]
    explain: bool,
    /// The current session; its short-term memories come first
    #[arg(long)]
    session: Option<String>,
    /// The time that "yesterday" in the query refers to [default: now]
    #[arg(long, value_name = "TIME", value_parser = time::parse)]
    now: Option<Timestamp>,
    /// Maximum bytes of each content, 1 to 1,000,000 [default: all]
    #[arg(long, value_name = "BYTES", default_value_t = 0, hide_default_value = true)]
    max_content_bytes: i32,
    /// Omit less relevant results, 0 to 1 [default: the server's]
    #[arg(long, value_name = "RELEVANCE")]
    min_score: Option<f64>,
    /// Turn a stage of recall on or off, such as `typos=off`; docs/recall.md lists them. Can be repeated
    #[arg(long, value_name = "NAME=on|off", value_parser = switched)]
    stage: Vec<(String, bool)>,
    #[command(flatten)]
    filter: FilterArgs,
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        let request = v1::QueryMemoriesRequest {
            user_id: context.user.clone(),
            query: input::text(self.query)?,
            top_k: self.top_k,
            filter: Some(self.filter.to_proto()),
            explain: self.explain,
            active_session_id: self.session.unwrap_or_default(),
            reference_time: self.now,
            max_content_bytes: self.max_content_bytes,
            min_score: self.min_score,
            stages: self.stage.into_iter().collect(),
            ..v1::QueryMemoriesRequest::default()
        };
        let answer = context.connect().await?.memories().query_memories(request).await?.into_inner();
        for correction in &answer.corrections {
            let instead = text::line(&correction.replacements.join(", "), 120);
            context
                .out
                .note(&format!("no memory contains \"{}\"; searched for {instead}", text::line(&correction.word, 60)));
        }
        if answer.nothing_relevant && !answer.results.is_empty() {
            context.out.note("nothing seems relevant; these are the nearest results");
        }
        if let Some(note) = without_vectors(answer.semantic(), self.explain) {
            context.out.note(note);
        }
        if answer.left_out > 0 {
            let left_out = answer.left_out;
            context.out.note(&format!(
                "{left_out} more did not fit in this answer; shorten contents with --max-content-bytes 1000"
            ));
        }
        context.out.answer(|| json::of(&answer), || as_text(&answer, &context.user))
    }
}

/// Parses a stage and its switch; the server validates the name.
fn switched(text: &str) -> Result<(String, bool), String> {
    let (name, on) = match text.split_once('=') {
        Some((name, "on")) => (name, true),
        Some((name, "off")) => (name, false),
        _ => return Err("write NAME=on or NAME=off, such as typos=off".to_owned()),
    };
    Ok((name.to_owned(), on))
}

/// Explains why only words were searched: problems always, other reasons only with `explain`.
fn without_vectors(status: v1::SemanticStatus, explain: bool) -> Option<&'static str> {
    use v1::SemanticStatus as Status;
    match status {
        Status::Unavailable => Some("searched words alone: the embedder does not answer; see `kimberly doctor`"),
        Status::TimedOut => Some("searched words alone: the embedder did not answer in time"),
        Status::NoIndex if explain => Some("searched words alone: this user has no vectors yet"),
        Status::UserDisabled if explain => Some("searched words alone: embeddings are disabled for this user"),
        Status::NotNeeded if explain => Some("searched words alone: the query has nothing to embed"),
        Status::TurnedOff if explain => Some("searched words alone: the stage `vectors` is off"),
        Status::Off if explain => Some("searched words alone: embeddings are off on this server"),
        _ => None,
    }
}

fn as_text(answer: &v1::QueryMemoriesResponse, user: &str) -> String {
    let results = if answer.results.is_empty() && answer.nothing_relevant {
        "nothing relevant: all results are below the requested minimum relevance".to_owned()
    } else if answer.results.is_empty() {
        format!("nothing found for user {user}; `kimberly list` shows all memories")
    } else {
        view::results(&answer.results)
    };
    results + &view::stages(answer)
}
