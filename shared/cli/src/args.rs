//! The command line: global options, and the commands.

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use crate::commands;
use crate::context::{Context, Globals};
use crate::error::CliResult;
use crate::{advice, groups, output};

/// Remember, recall, forget: memory for assistants, on your own machine.
#[derive(Parser)]
#[command(name = "kimberly", version, max_term_width = 110)]
#[command(after_help = "Exit codes: 0 done, 1 refused or failed, 2 wrong usage, 3 Kimberly cannot be reached.\n\
                        Start with `kimberly up`; then, in a second terminal, `kimberly remember \"I drink my tea without sugar\"` \
                        and `kimberly recall \"how do I like my tea?\"`.\n\
                        `up` starts the processes of the service, kimberly api, worker and embedder; each takes --config FILE.")]
pub(crate) struct Cli {
    #[command(flatten)]
    globals: Globals,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Start and supervise api, worker and embedder; stop them on Ctrl-C
    Up(commands::up::Args),
    /// Store a memory
    Remember(commands::remember::Args),
    /// Store a raw thought, to be processed later
    Raw(commands::raw::Args),
    /// Store short-lived texts of a session by key
    Work(commands::work::Args),
    /// Find memories relevant to a query
    Recall(commands::recall::Args),
    /// Store a conversation: messages as a JSON list, or one per line
    Observe(commands::observe::Args),
    /// Show the context for an assistant's next prompt
    Context(commands::context::Args),
    /// List memories
    List(commands::list::Args),
    /// Show a memory, how its score was computed, and decisions about it
    Show(commands::show::Args),
    /// Change a memory
    Edit(commands::edit::Args),
    /// Delete memories; they can be restored for the grace window
    Forget(commands::forget::Args),
    /// Erase all data of a user permanently, or show the receipts
    Purge(commands::purge::Args),
    /// Read and edit memories with names, such as notes
    File(commands::file::Args),
    /// Manage the blocks of text in every prompt of an assistant
    Core(commands::core::Args),
    /// Run a command of an assistant's memory tool: JSON in, text out
    MemoryTool(commands::memory_tool::Args),
    /// Confirm that a memory is true, which raises its confidence
    Verify(commands::verify::Args),
    /// List uncertain memories, the least certain first
    Uncertain(commands::uncertain::Args),
    /// Read the text of a document
    Passages(commands::passages::Args),
    /// Find procedures for a situation, and count their uses
    Playbook(commands::playbook::Args),
    /// Record a meeting with a person or agent, and how it went
    Met(commands::met::Args),
    /// Derive a memory of a higher layer from others, such as an episode from captures
    Promote(commands::promote::Args),
    /// List captures from which nothing was derived yet
    Unprocessed(commands::unprocessed::Args),
    /// Show values, drives, goals and beliefs, the most important first
    Identity(commands::identity::Args),
    /// Correct a memory: a new one replaces it
    Correct(commands::correct::Args),
    /// Revise a belief
    Revise(commands::revise::Args),
    /// End the validity of a memory
    Invalidate(commands::invalidate::Args),
    /// Show the history of a memory
    History(commands::history::Args),
    /// List the insights of nights, with their premises
    Insights(commands::insights::Args),
    /// List pairs of memories that contradict each other
    Contradictions(commands::contradictions::Args),
    /// List open decisions; apply, dismiss or undo them
    Review(commands::review::Args),
    /// Decide which of two contradicting memories is true
    Resolve(commands::resolve::Args),
    /// Link a memory to another one
    Link(commands::link::Args),
    /// Remove a link between memories
    Unlink(commands::unlink::Args),
    /// List the entities that memories are about, or show one
    Entities(commands::entities::Args),
    /// Show the relations between entities
    Graph(commands::graph::Args),
    /// List memories related to one
    Related(commands::related::Args),
    /// List links, of a memory or all
    Links(commands::links::Args),
    /// Show the sources of a memory, and what was derived from it
    Lineage(commands::lineage::Args),
    /// Restore archived or deleted memories
    Restore(commands::restore::Args),
    /// Rate a memory: up, down, or 1 to 5
    Feedback(commands::feedback::Args),
    /// Report whether recalled memories helped
    Outcome(commands::outcome::Args),
    /// Score memories and archive those over quota; --dry-run shows the plan
    Meditate(commands::meditate::Args),
    /// List past meditations, or show one with its decisions
    Meditations(commands::meditations::Args),
    /// Manage goals, projects and tasks, against which memories are scored
    Goals(commands::goals::Args),
    /// Manage consents, under which sensitive memories are stored
    Consent(commands::consent::Args),
    /// Show or change quotas, weights and retention
    Settings(commands::settings::Args),
    /// Show counts, sizes and other metrics
    Metrics(commands::metrics::Args),
    /// Show problems of the installation: quotas, spikes, errors, budgets
    Alerts(commands::alerts::Args),
    /// Generate missing embeddings, show their state, or compute them on this machine
    Embed(commands::embed::Args),
    /// Create, list, rotate and revoke keys of callers
    Keys(commands::keys::Args),
    /// Show, rotate and retire the keys that encrypt the data
    Rings(commands::rings::Args),
    /// Attach a file to a memory
    Attach(commands::attach::Args),
    /// List, fetch, attach and detach files of memories
    Attachments(commands::attachments::Args),
    /// Summarize the oldest messages of a session
    Compact(commands::compact::Args),
    /// End a session
    Session(commands::session::Args),
    /// Import an export of Kimberly or ChatGPT, lists of messages or texts, or documents
    Import(commands::import::Args),
    /// Export memories as JSON lines, an archive or Markdown
    Export(commands::export::Args),
    /// List, verify and export the audit: who did what, and when
    Audit(commands::audit::Args),
    /// Rebuild the full-text index and the counters from the memories
    Rebuild(commands::rebuild::Args),
    /// Create, check and restore backups while Kimberly runs
    Backup(commands::backup::Args),
    /// Migrate all data to Postgres or back, while Kimberly keeps serving
    Migrate(commands::migrate::Args),
    /// Distribute the tables of users over the nodes of a Citus
    Postgres(commands::postgres::Args),
    /// List the users
    Users(commands::users::Args),
    /// List damaged vaults, check one, or release it from quarantine
    Vaults(commands::vaults::Args),
    /// Print changes of memories as they happen
    Watch(commands::watch::Args),
    /// Download an embedding model, or check one
    Model(commands::model::Args),
    /// Serve memory tools to an assistant over stdin and stdout (MCP)
    Mcp(commands::mcp::Args),
    /// Observe a coding assistant's sessions, and give it relevant memories
    Hooks(commands::hooks::Args),
    /// Handle an event of an assistant, with its JSON on stdin
    Hook(commands::hook::Args),
    /// Print a link that opens the console in a browser
    Console(commands::console::Args),
    /// Check configuration, data folder and processes
    Doctor(commands::doctor::Args),
    /// Ask processes of this machine whether they serve, as health checks of containers do
    Health(commands::health::Args),
    /// Print a completion script for your shell
    Completion(commands::completion::Args),
}

/// Runs the parsed command. Every command needs the context, except the one that prints a completion script.
macro_rules! dispatch {
    ($command:expr, $context:expr; $($name:ident)+) => {
        match $command {
            $(Command::$name(args) => args.run($context).await,)+
            Command::Completion(args) => args.run(),
        }
    };
}

impl Command {
    /// Finds out whose memory a command without `--user` is about. Hooks leave it to the server that they call later;
    /// some commands are about nobody's.
    async fn find_user(&self, context: &mut Context) {
        match self {
            Self::Up(_)
            | Self::Doctor(_)
            | Self::Health(_)
            | Self::Model(_)
            | Self::Completion(_)
            | Self::Migrate(_) => {}
            Self::Hook(_) | Self::Hooks(_) => context.user = context.user_of_later(),
            _ => context.find_user().await,
        }
    }
}

impl Cli {
    /// Parses the command line. Help and invalid arguments end the process.
    #[expect(clippy::disallowed_methods, reason = "nothing runs yet, as where clap ends the process")]
    pub(crate) fn typed() -> Self {
        let matches = groups::grouped(Self::command()).try_get_matches().unwrap_or_else(|mut error| {
            advice::add(&mut error);
            // Assistants treat exit code 2 as a refusal of the person's prompt.
            if commands::hook::is_called() && error.use_stderr() { std::process::exit(0) } else { error.exit() }
        });
        Self::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
    }

    /// Runs the command.
    pub(crate) async fn run(self) -> CliResult {
        let mut context = Context::new(self.globals);
        let Some(command) = self.command else { return output::print(groups::FIRST) };
        command.find_user(&mut context).await;
        dispatch! {
            command, &context;
            Up Remember Raw Work Recall Observe Context List Show Edit Forget Purge File Core MemoryTool Verify
            Uncertain Passages Playbook Met Correct Revise Invalidate History Review Insights Contradictions Resolve Link Unlink Entities
            Graph Related Links Lineage Promote Unprocessed Identity Restore Feedback Outcome Meditate Meditations
            Goals Consent Settings Metrics Alerts Embed Keys Rings Attach Attachments Compact Session Import Export
            Audit Rebuild Backup Migrate Postgres Users Vaults Watch Model Mcp Hooks Hook Doctor Health Console
        }
    }
}
