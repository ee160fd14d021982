//! Runs commands of the memory tool of assistants. A file of the tool is a record with the name `memories/<path>`. It
//! is protected, so that the system never archives it.

mod files;
mod view;
mod write;

use serde::{Deserialize, Serialize};

use super::App;
use super::support::namespace_for;
use crate::access::Operation;
use crate::bounds::ABSOLUTE_MAX_CONTENT_BYTES;
use crate::boxed;
use crate::error::{Error, Result};
use crate::ids::UserId;
use crate::memory_tool::Command;

/// Longest command, in bytes: room for the largest file, written as JSON.
const MAX_COMMAND_BYTES: usize = 2 * ABSOLUTE_MAX_CONTENT_BYTES;

/// A command to run.
#[derive(Clone, Debug, Default)]
pub struct ToolInput {
    /// The namespace; empty for the default one.
    pub namespace: String,
    /// The command as JSON.
    pub command: String,
    /// Makes a command that writes idempotent; empty for none.
    pub request_id: String,
    /// W3C trace context, passed on to the work that follows.
    pub traceparent: Option<String>,
}

/// The answer for the assistant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolOutput {
    /// The answer in words.
    pub text: String,
    /// Whether it says why nothing was done.
    pub is_error: bool,
}

/// Result of a command, or why it cannot be done; both in words for the assistant.
type Told = Result<String, String>;

impl From<Told> for ToolOutput {
    fn from(told: Told) -> Self {
        let is_error = told.is_err();
        Self { text: told.unwrap_or_else(|why| why), is_error }
    }
}

impl App {
    /// Runs a command. Mistakes of the assistant are answered in words. An error is what the assistant cannot help, such as a full tier.
    #[boxed]
    pub async fn run_memory_tool(&self, user: &UserId, input: ToolInput) -> Result<ToolOutput> {
        let namespace = namespace_for(self.caller.as_deref(), &input.namespace)?;
        let has = input.command.len();
        if has > MAX_COMMAND_BYTES {
            let problem = format!("has {has} bytes; at most {MAX_COMMAND_BYTES} are allowed: write a smaller file");
            return Err(Error::invalid("command", problem));
        }
        // Checks the request id even where nothing is written.
        self.key(&input.request_id, "memory_tool.check", &())?;
        let command = match Command::read(&input.command) {
            Ok(command) => command,
            Err(why) => return Ok(Err(why).into()),
        };
        self.may_run(&command)?;
        let told = match command {
            Command::View { path, view_range } => self.view_path(user, namespace, path, view_range).await?,
            command => self.change_files(user, namespace, command, (input.request_id, input.traceparent)).await?,
        };
        Ok(told.into())
    }

    /// Fails unless the caller was granted what the command does; the rule of the call only asks for the right to read.
    fn may_run(&self, command: &Command) -> Result<()> {
        let needed = match command {
            Command::View { .. } => Operation::Read,
            Command::Delete { .. } => Operation::Delete,
            _ => Operation::Write,
        };
        let granted = self.caller.as_ref().is_none_or(|caller| caller.grant.allows(needed));
        if granted { Ok(()) } else { Err(Error::Denied) }
    }
}
