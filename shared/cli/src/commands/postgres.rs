//! `kimberly postgres`: set-up of the configured database. This command opens no vault: a program of the worker does
//! the work.

use std::path::PathBuf;

use clap::Subcommand;
use serde::Deserialize;
use serde_json::json;

use crate::context::Context;
use crate::error::{CliError, CliResult};
use crate::program::Program;
use crate::text;

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Distribute the tables of users over the nodes of a Citus
    Distribute(Distribute),
}

#[derive(clap::Args)]
#[command(after_help = "\
Checks the coordinator and its nodes first, and says what is missing. Tables that are distributed already stay as they
are, so run it again after an upgrade that adds tables. All processes of Kimberly must be stopped, and the tables empty:
move users into them afterwards with `kimberly migrate`. See docs/sizing.md.")]
struct Distribute {
    /// Number of shards of each table; cannot be changed easily later
    #[arg(long, value_name = "N", default_value_t = 128, value_parser = clap::value_parser!(u32).range(1..=4096))]
    shards: u32,
    /// Configuration file [default: `KIMBERLY_CONFIG`, else kimberly.toml here if there is one]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

/// The program's answer.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Answer {
    Distributed { nodes: u64, tables: Vec<String> },
    Failed { message: String, code: u8 },
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        let Command::Distribute(args) = self.command;
        match args.answer().await? {
            Answer::Distributed { nodes, tables } => context
                .out
                .answer(|| json!({"state": "distributed", "nodes": nodes, "tables": tables}), || said(nodes, &tables)),
            Answer::Failed { message, code: 2 } => Err(CliError::usage(message)),
            Answer::Failed { message, .. } => Err(CliError::failed(message)),
        }
    }
}

impl Distribute {
    /// Runs the program.
    async fn answer(&self) -> CliResult<Answer> {
        let mut program = Program::start("distribute")?;
        program.send(&json!({"config": self.config, "shards": self.shards})).await?;
        if let Some(answer) = program.next().await? {
            return Ok(answer);
        }
        let status = program.end().await?;
        Err(CliError::failed(format!("the worker ended ({status}) before all tables were distributed; run this again")))
    }
}

fn said(nodes: u64, tables: &[String]) -> String {
    let nodes = text::count(nodes, "node", "nodes");
    if tables.is_empty() {
        return format!("all tables of users are distributed already; {nodes} hold them");
    }
    format!(
        "distributed {} over {nodes}: {}\nstart Kimberly, or move users here with `kimberly migrate`",
        text::count(tables.len() as u64, "table", "tables"),
        tables.join(", ")
    )
}
