//! The command line: global options, and the commands.

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use crate::commands;
use crate::context::{Context, Globals};
use crate::error::CliResult;
use crate::{groups, output};

/// Remember, recall, forget: memory for assistants, on your own machine.
#[derive(Parser)]
#[command(name = "kimberly", version, max_term_width = 110)]
#[command(after_help = "Exit codes: 0 done, 1 refused or failed, 2 wrong usage, 3 Kimberly cannot be reached.\n\
                        Start with `kimberly up`; then, in a second terminal, `kimberly remember \"I drink my tea without sugar\"` \
                        and `kimberly recall \"how do I like my tea?\"`.")]
pub(crate) struct Cli {
    #[command(flatten)]
    globals: Globals,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Start api, worker and embedder, watch over them, and stop them on Ctrl-C
    Up(commands::up::Args),
    /// Store a memory
    Remember(commands::remember::Args),
    /// Keep a thought as it comes, to be processed later
    Raw(commands::raw::Args),
    /// Keep texts by key that a session needs for a while
    Work(commands::work::Args),
    /// Find what matters for a query
    Recall(commands::recall::Args),
    /// Take a conversation in: messages as a JSON list, or one on each line
    Observe(commands::observe::Args),
    /// Show what belongs in the next prompt of an assistant
    Context(commands::context::Args),
    /// List memories
    List(commands::list::Args),
    /// Show a memory, why it has its score, and what was decided about it
    Show(commands::show::Args),
    /// Change a memory
    Edit(commands::edit::Args),
    /// Delete memories; they can be restored for the grace window
    Forget(commands::forget::Args),
    /// Erase everything of a user for good, or show the receipt of that
    Purge(commands::purge::Args),
    /// Read and edit memories with names, such as notes
    File(commands::file::Args),
    /// Keep the blocks of text that stand in every prompt of an assistant
    Core(commands::core::Args),
    /// Run a command of an assistant's memory tool: JSON in, text out
    MemoryTool(commands::memory_tool::Args),
    /// Confirm that a memory is true: it becomes more certain
    Verify(commands::verify::Args),
    /// List what is uncertain, the least certain first
    Uncertain(commands::uncertain::Args),
    /// Read the text of a document
    Passages(commands::passages::Args),
    /// Find procedures for a situation, and count how they served
    Playbook(commands::playbook::Args),
    /// Count a meeting with someone, and how it went
    Met(commands::met::Args),
    /// Make a memory of a higher layer from others, such as an episode from captures
    Promote(commands::promote::Args),
    /// List captures that nothing was made from yet
    Unprocessed(commands::unprocessed::Args),
    /// Show values, drives, goals and beliefs, by authority
    Identity(commands::identity::Args),
    /// Correct a memory: what you say takes its place
    Correct(commands::correct::Args),
    /// Revise a belief, for a reason
    Revise(commands::revise::Args),
    /// Say from when on a memory does not hold
    Invalidate(commands::invalidate::Args),
    /// Show what became of a memory
    History(commands::history::Args),
    /// List what nights concluded, with what it rests on
    Insights(commands::insights::Args),
    /// List memories of which not both can hold
    Contradictions(commands::contradictions::Args),
    /// List what waits for a decision, decide, and take that back
    Review(commands::review::Args),
    /// Say which of two memories holds that contradict each other
    Resolve(commands::resolve::Args),
    /// Say what a memory is to another one
    Link(commands::link::Args),
    /// Remove a link between memories
    Unlink(commands::unlink::Args),
    /// List whom and what memories are about, or show one
    Entities(commands::entities::Args),
    /// Show what entities are to each other
    Graph(commands::graph::Args),
    /// List memories that have to do with one
    Related(commands::related::Args),
    /// List links, of a memory or all
    Links(commands::links::Args),
    /// Show what a memory was made of, and what was made of it
    Lineage(commands::lineage::Args),
    /// Rescue archived or deleted memories
    Restore(commands::restore::Args),
    /// Say what you think of a memory: up, down, or 1 to 5
    Feedback(commands::feedback::Args),
    /// Report whether recalled memories helped
    Outcome(commands::outcome::Args),
    /// Score memories and archive what does not fit; --dry-run shows the plan
    Meditate(commands::meditate::Args),
    /// List past meditations, or show one with its decisions
    Meditations(commands::meditations::Args),
    /// What you are after: goals, projects, tasks; memories are scored against them
    Goals(commands::goals::Args),
    /// What you agreed to: sensitive memories are stored under such a record
    Consent(commands::consent::Args),
    /// Quotas, weights and retention: what holds and where it comes from
    Settings(commands::settings::Args),
    /// How much is kept and how it goes
    Metrics(commands::metrics::Args),
    /// What is wrong with the installation: quotas, spikes, errors, budgets
    Alerts(commands::alerts::Args),
    /// Have missing vectors made now, show how they stand, or compute them on this machine
    Embed(commands::embed::Args),
    /// Keys of callers: make, list, renew and revoke them
    Keys(commands::keys::Args),
    /// Keys that encrypt the data: show them, rotate them, remove old ones
    Rings(commands::rings::Args),
    /// Take a file in that hangs on a memory
    Attach(commands::attach::Args),
    /// Files that hang on memories: list them, fetch one, hang one elsewhere
    Attachments(commands::attachments::Args),
    /// Put the oldest messages of a session in short
    Compact(commands::compact::Args),
    /// End a session
    Session(commands::session::Args),
    /// Import a Kimberly export, ChatGPT's, lists of messages or texts, or Markdown
    Import(commands::import::Args),
    /// Export everything you have as JSON lines
    Export(commands::export::Args),
    /// What was done with the memory, by whom and when: list it, check it, export it
    Audit(commands::audit::Args),
    /// Rebuild the full-text index and the counters from the memories
    Rebuild(commands::rebuild::Args),
    /// Copies of all data, made while everything runs: make one, check one, put it back
    Backup(commands::backup::Args),
    /// Move everything from a data folder to Postgres, or back, while Kimberly serves on
    Migrate(commands::migrate::Args),
    /// Vaults that were found damaged: list them, check one, let it be used again
    Vaults(commands::vaults::Args),
    /// Print changes of memories as they happen
    Watch(commands::watch::Args),
    /// Fetch an embedding model, or check one
    Model(commands::model::Args),
    /// Give an assistant tools for memory, over stdin and stdout (MCP)
    Mcp(commands::mcp::Args),
    /// Observe a coding assistant's sessions, and give it what is remembered
    Hooks(commands::hooks::Args),
    /// Hear an event of an assistant, with its JSON on stdin
    Hook(commands::hook::Args),
    /// Print a link that opens the console in a browser
    Console(commands::console::Args),
    /// Check configuration, data folder and processes
    Doctor(commands::doctor::Args),
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

impl Cli {
    /// Parses the command line. Help and invalid arguments end the process.
    #[expect(clippy::disallowed_methods, reason = "nothing runs yet, as where clap ends the process")]
    pub(crate) fn typed() -> Self {
        let matches = groups::grouped(Self::command()).try_get_matches().unwrap_or_else(|error| {
            // Assistants treat exit code 2 as a refusal of the person's prompt.
            if commands::hook::is_called() && error.use_stderr() { std::process::exit(0) } else { error.exit() }
        });
        Self::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
    }

    /// Runs the command.
    pub(crate) async fn run(self) -> CliResult {
        let context = Context::new(self.globals);
        let Some(command) = self.command else { return output::print(groups::FIRST) };
        dispatch! {
            command, &context;
            Up Remember Raw Work Recall Observe Context List Show Edit Forget Purge File Core MemoryTool Verify
            Uncertain Passages Playbook Met Correct Revise Invalidate History Review Insights Contradictions Resolve Link Unlink Entities
            Graph Related Links Lineage Promote Unprocessed Identity Restore Feedback Outcome Meditate Meditations
            Goals Consent Settings Metrics Alerts Embed Keys Rings Attach Attachments Compact Session Import Export
            Audit Rebuild Backup Migrate Vaults Watch Model Mcp Hooks Hook Doctor Console
        }
    }
}
