//! `kimberly hooks`: configures an assistant to call `kimberly hook` at its events. Shows the change before writing it.

mod file;
mod settings;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::{Subcommand, ValueEnum};
use serde_json::{Value, json};

use super::hook::{Event, Spool, folder};
use crate::context::Context;
use crate::error::{CliError, CliResult};
use crate::text;
use file::File;

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Observe an assistant's sessions, and give it relevant memories
    Install {
        #[command(flatten)]
        at: At,
        #[command(flatten)]
        spool: SpoolArgs,
        /// Write the settings
        #[arg(long)]
        yes: bool,
        /// The namespace that sessions are stored in
        #[arg(long, value_name = "NAME", default_value = "", hide_default_value = true)]
        namespace: String,
    },
    /// Remove the hooks
    Remove {
        #[command(flatten)]
        at: At,
        /// Write the settings
        #[arg(long)]
        yes: bool,
    },
    /// Show the installed hooks, and messages queued for delivery
    Show {
        #[command(flatten)]
        at: At,
        #[command(flatten)]
        spool: SpoolArgs,
    },
}

/// The owner of the settings.
#[derive(clap::Args)]
struct At {
    /// The assistant
    #[arg(long = "for", value_enum, default_value_t = Assistant::ClaudeCode, value_name = "ASSISTANT")]
    assistant: Assistant,
    /// Its settings file [default: settings.json in $CLAUDE_CONFIG_DIR, else in ~/.claude]
    #[arg(long, value_name = "FILE")]
    settings: Option<PathBuf>,
}

/// Where turns wait.
#[derive(clap::Args)]
struct SpoolArgs {
    /// Folder of queued turns [default: hooks, in the data folder]
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,
}

/// An assistant with hooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Assistant {
    ClaudeCode,
}

impl At {
    fn file(&self) -> CliResult<File> {
        let Assistant::ClaudeCode = self.assistant;
        let named = self.settings.clone().map(Ok);
        File::read(named.unwrap_or_else(of_claude_code)?)
    }
}

fn of_claude_code() -> CliResult<PathBuf> {
    let named = std::env::var_os("CLAUDE_CONFIG_DIR").filter(|folder| !folder.is_empty()).map(PathBuf::from);
    let folder = named.or_else(|| std::env::home_dir().map(|home| home.join(".claude")));
    let folder = folder.ok_or_else(|| CliError::usage("there is no home folder; name the settings with --settings"))?;
    Ok(folder.join("settings.json"))
}

impl Args {
    #[expect(clippy::unused_async, reason = "commands are run alike")]
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        match self.command {
            Command::Install { at, spool, yes, namespace } => {
                let file = at.file()?;
                let call = Call::of(context, &folder(spool.folder)?, namespace)?;
                let after = settings::with(file.settings.clone(), |event| call.command(event));
                change(context, &file, after, yes)
            }
            Command::Remove { at, yes } => {
                let file = at.file()?;
                let after = settings::without(file.settings.clone());
                change(context, &file, after, yes)
            }
            Command::Show { at, spool } => show(context, &at.file()?, &Spool::at(&folder(spool.folder)?)),
        }
    }
}

/// Shows the changed settings, or writes them.
fn change(
    context: &Context,
    file: &File,
    after: Result<serde_json::Map<String, Value>, String>,
    yes: bool,
) -> CliResult {
    let after = after.map_err(|problem| CliError::usage(format!("{}: {problem}", file.path.display())))?;
    let shown = file.path.display();
    if after == file.settings {
        return context.out.answer(|| json!({"written": false}), || format!("{shown} needs no change"));
    }
    if yes {
        file.write(&after)?;
        return context.out.answer(|| json!({"written": true}), || format!("{shown} is written; new sessions use it"));
    }
    let hooks = after.get("hooks").cloned().unwrap_or_else(|| json!({}));
    let text = serde_json::to_string_pretty(&hooks).unwrap_or_default();
    let said = format!("\"hooks\" in {shown} would be:\n{text}\nNothing is written yet; --yes writes it.");
    context.out.answer(|| json!({"written": false, "hooks": hooks}), || said)
}

fn show(context: &Context, file: &File, spool: &Spool) -> CliResult {
    let (ours, waiting) = (settings::ours(&file.settings), spool.bytes());
    let json = || {
        let commands: serde_json::Map<String, Value> =
            ours.iter().map(|(event, command)| (event.name().to_owned(), json!(command))).collect();
        json!({"settings": file.path.display().to_string(), "hooks": commands, "waiting_bytes": waiting})
    };
    let told = || {
        let mut lines = vec![format!("{}: {}", file.path.display(), text::count(ours.len(), "hook", "hooks"))];
        lines.extend(ours.iter().map(|(event, command)| format!("  {}: {command}", event.name())));
        lines.push(waits(waiting));
        lines.join("\n")
    };
    context.out.answer(json, told)
}

/// Says how many bytes of messages wait, and until when.
fn waits(bytes: u64) -> String {
    if bytes == 0 {
        return "no message waits".to_owned();
    }
    let bytes = text::bytes(i64::try_from(bytes).unwrap_or(i64::MAX));
    format!("{bytes} of messages wait; the next event delivers them once Kimberly runs (`kimberly up`)")
}

/// The hook command: absolute paths, so that it works anywhere, and the options given here.
struct Call {
    program: PathBuf,
    options: Vec<(&'static str, String)>,
}

impl Call {
    fn of(context: &Context, folder: &Path, namespace: String) -> CliResult<Self> {
        let mut options = vec![("--server", context.server.clone()), ("--folder", folder.display().to_string())];
        if !context.user.is_empty() {
            options.insert(0, ("--user", context.user.clone()));
        }
        if !namespace.is_empty() {
            options.push(("--namespace", namespace));
        }
        options.extend(context.files()?.into_iter().map(|(option, path)| (option, path.display().to_string())));
        Ok(Self { program: std::env::current_exe()?, options })
    }

    fn command(&self, event: Event) -> String {
        let mut command = format!("{} hook {}", quoted(&self.program.display().to_string()), event.name());
        for (name, value) in &self.options {
            let _ = write!(command, " {name} {}", quoted(value));
        }
        command
    }
}

/// Quotes a word for a shell.
pub(crate) fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_words_of_a_shell() {
        let call = Call { program: PathBuf::from("/o'brien/kimberly"), options: vec![("--user", "a b".to_owned())] };
        assert_eq!(call.command(Event::Stop), r"'/o'\''brien/kimberly' hook Stop --user 'a b'");
    }
}
