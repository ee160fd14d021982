//! Benchmarks through the real processes. `tests/bench/run NAME` builds everything, runs this program and stores its
//! figures; `tests/bench/README.md` explains every metric.
//!
//! To add a benchmark: a module in `benches/`, a line in `benches::ALL` and one in `benches::run`, and its metrics in
//! the README.

mod affinity;
mod bare;
mod benches;
mod disk;
mod embeddings;
mod figures;
mod http1;
mod load;
mod open_loop;
mod peers;
mod population;
mod process;
mod report;
mod system;
mod texts;
mod token;

use clap::Parser;
use tokio::signal::unix::{SignalKind, signal};

use crate::report::Report;

/// The error is a sentence for the user of the program.
pub(crate) type Result<T, E = Box<dyn std::error::Error + Send + Sync>> = std::result::Result<T, E>;

/// Measures Kimberly through its own processes.
#[derive(Debug, Parser)]
#[command(name = "kimberly-bench")]
struct Arguments {
    /// The benchmark, or `list` for all of them.
    name: String,
    #[command(flatten)]
    options: Options,
}

/// How to measure.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct Options {
    /// End within five minutes, at the price of less exact figures.
    #[arg(long)]
    pub(crate) quick: bool,
    /// Measure recall with embeddings too (locomo, recall); figures go to a file of their own.
    #[arg(long)]
    pub(crate) embeddings: bool,
    /// Measure on a Postgres of its own (locomo); figures go to a file of their own.
    #[arg(long)]
    pub(crate) postgres: bool,
    /// Measure with one part of recall taken away at a time (recall-quality); figures go to a file of their own.
    #[arg(long)]
    pub(crate) ablation: bool,
    /// Look for better constants on the parts that are developed on (recall-quality); figures go to a file of their own.
    #[arg(long)]
    pub(crate) fit: bool,
    /// Users of the larger population, 100 to 100,000; the smaller one has a tenth of them (scale).
    #[arg(long)]
    pub(crate) users: Option<usize>,
    /// Memories of each user, 20 to 1,000 (scale), or of the only vault (waits).
    #[arg(long)]
    pub(crate) memories: Option<usize>,
}

#[tokio::main]
async fn main() -> Result<()> {
    let arguments = Arguments::parse();
    if arguments.name == "list" {
        report::say(&benches::listing());
        return Ok(());
    }
    let suffix = match arguments.options {
        Options { embeddings: true, .. } => "-embeddings",
        Options { postgres: true, .. } => "-postgres",
        Options { ablation: true, .. } => "-ablation",
        Options { fit: true, .. } => "-fit",
        Options { .. } => "",
    };
    let mut report = Report::new(&format!("{}{suffix}", arguments.name))?;
    // Interrupted or not, everything is dropped: processes end and their data folders are removed.
    tokio::select! {
        done = benches::run(&arguments.name, arguments.options, &mut report) => done?,
        asked = asked_to_stop() => return Err(asked?.into()),
    }
    let path = report.write()?;
    report::say(&format!("\nwritten to {}", path.display()));
    Ok(())
}

/// Waits for a signal to stop; returns the final message.
async fn asked_to_stop() -> Result<&'static str> {
    let mut terminate = signal(SignalKind::terminate())?;
    tokio::select! {
        interrupted = tokio::signal::ctrl_c() => interrupted?,
        _ = terminate.recv() => {}
    }
    Ok("stopped before the end; nothing was written")
}
