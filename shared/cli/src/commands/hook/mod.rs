//! `kimberly hook`: called by an assistant at its events, with JSON on stdin. Never fails the assistant: it exits with
//! 0, writes errors to a log, and spools messages while Kimberly does not run.

mod deliver;
mod event;
mod log;
mod persons_words;
mod private;
mod spool;
mod transcript;
mod within;

use std::path::{Path, PathBuf};
use std::time::Duration;

use kimberly_core::recall::stages::relevance::NOTHING_BELOW;
use kimberly_proto::v1::{self, ContextPart as Part};
use kimberly_runtime::Config;
use kimberly_runtime::config::Environment;
use serde_json::json;

use crate::client::Client;
use crate::context::Context;
use crate::error::{CliError, CliResult};
use crate::{output, token};
use deliver::Deliver;
pub(super) use event::Event;
use event::Told;
use persons_words::persons_words;
pub(super) use spool::Spool;
use within::within;

/// The hooks' folder in the data folder.
const FOLDER: &str = "hooks";
/// Connection timeouts: on this machine, and elsewhere, where a handshake takes longer.
const CONNECT: Duration = Duration::from_millis(50);
const CONNECT_AFAR: Duration = Duration::from_millis(500);
/// Timeout of the whole event.
const ALL: Duration = Duration::from_secs(8);
/// Token budget of a context: assistants accept 10,000 characters at a time.
const BUDGET: std::ops::RangeInclusive<i64> = 100..=1_600;
/// The window of which the largest budget is three quarters: core memory does not exceed that.
const WINDOW: i64 = *BUDGET.end() * 4 / 3 + 1;

/// The error for an event with another name.
const UNKNOWN: &str = "is not a known event; use SessionStart, UserPromptSubmit, Stop, PreCompact or SessionEnd";

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The event: SessionStart, UserPromptSubmit, Stop, PreCompact or SessionEnd
    event: String,
    /// Folder of queued turns and the error log [default: hooks, in the data folder]
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,
    /// The namespace that sessions are stored in
    #[arg(long, value_name = "NAME", default_value = "", hide_default_value = true)]
    namespace: String,
    /// Maximum tokens of a context, 100 to 1,600
    #[arg(long, value_name = "TOKENS", default_value_t = 1_200)]
    budget: i64,
}

/// Whether this process was started as a hook, which must never fail.
pub(crate) fn is_called() -> bool {
    std::env::args_os().nth(1).is_some_and(|first| first == "hook")
}

/// The hooks' folder.
pub(super) fn folder(named: Option<PathBuf>) -> CliResult<PathBuf> {
    if let Some(named) = named {
        return Ok(std::path::absolute(named)?);
    }
    let loaded =
        Config::load(None, &Environment::of_process()).map_err(|problems| CliError::usage(problems.to_string()))?;
    Ok(std::path::absolute(loaded.config.data_dir)?.join(FOLDER))
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        // Without a folder there is nowhere to log this.
        let Ok(folder) = folder(self.folder.clone()) else { return Ok(()) };
        let heard = tokio::time::timeout(ALL, self.heard(context, &folder)).await;
        let failed = match heard {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(error)) => error.message().to_owned(),
            Err(_) => "took too long".to_owned(),
        };
        log::note(&folder, &self.event, &failed);
        Ok(())
    }

    async fn heard(&self, context: &Context, folder: &Path) -> CliResult {
        let event = Event::named(&self.event).ok_or_else(|| CliError::usage(UNKNOWN))?;
        let told = Told::read()?;
        let client = self.connect(context).await;
        let deliver = Deliver {
            client: client.as_ref().ok(),
            user: &context.user,
            namespace: &self.namespace,
            spool: Spool::at(folder),
        };
        if let (Some(parts), Ok(client)) = (parts(event), &client) {
            self.inject(context, client, (event, parts), &told).await?;
        }
        let said = match event.transcript_bytes() {
            Some(bytes) => transcript::read(&told.transcript()?, bytes)?,
            None => Vec::new(),
        };
        deliver.all(&told.session_id, said).await?;
        if let (Event::SessionEnd, Ok(client)) = (event, &client) {
            end(context, client, &told.session_id).await?;
        }
        // An unreachable server is logged too, but only after the messages are saved.
        client.map(drop)
    }

    async fn connect(&self, context: &Context) -> CliResult<Client> {
        let wait = if token::is_on_loopback(&context.server) { CONNECT } else { CONNECT_AFAR };
        let connected = tokio::time::timeout(wait, context.connect()).await;
        connected.unwrap_or_else(|_| {
            let server = &context.server;
            Err(CliError::failed(format!("Kimberly did not answer in time at {server}; start it with `kimberly up`")))
        })
    }

    /// Prints the context for the assistant, in the format that it expects.
    async fn inject(
        &self,
        context: &Context,
        client: &Client,
        (event, parts): (Event, &[Part]),
        told: &Told,
    ) -> CliResult {
        let request = v1::GetContextRequest {
            user_id: context.user.clone(),
            session_id: told.session_id.clone(),
            query: cut(persons_words(&told.prompt)).to_owned(),
            budget_tokens: self.budget.clamp(*BUDGET.start(), *BUDGET.end()),
            context_window_tokens: WINDOW,
            parts: parts.iter().map(|part| i32::from(*part)).collect(),
            // Hooks run on every prompt, so only what is likely relevant is worth its tokens.
            min_relevance: Some(NOTHING_BELOW),
            ..v1::GetContextRequest::default()
        };
        let answer = within(client.conversations().get_context(request)).await?;
        if answer.text.is_empty() {
            return Ok(());
        }
        let said = json!({"hookEventName": event.name(), "additionalContext": answer.text});
        output::print(&json!({"hookSpecificOutput": said}).to_string())
    }
}

/// Truncates a prompt to the maximum length of a query.
fn cut(prompt: &str) -> &str {
    prompt.split_at(prompt.floor_char_boundary(kimberly_core::bounds::MAX_QUERY_BYTES)).0
}

/// The parts of the context at an event: standing facts once, and relevant memories with each prompt. The assistant
/// knows the session itself.
fn parts(event: Event) -> Option<&'static [Part]> {
    match event {
        Event::SessionStart => Some(&[Part::Core, Part::Wishes, Part::Goals]),
        Event::UserPromptSubmit => Some(&[Part::Recalled]),
        Event::Stop | Event::PreCompact | Event::SessionEnd => None,
    }
}

async fn end(context: &Context, client: &Client, session_id: &str) -> CliResult {
    let (user_id, session_id) = (context.user.clone(), session_id.to_owned());
    let request = v1::EndSessionRequest { user_id, session_id, request_id: String::new() };
    within(client.memories().end_session(request)).await.map(drop)
}
