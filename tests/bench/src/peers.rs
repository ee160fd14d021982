//! Runs mem0, Chroma and usearch on Kimberly's workloads.
//!
//! Their packages are installed once into `.cache/bench-venv`, with the versions pinned in `peers/requirements.txt`.
//! If that fails, the benchmark says so and continues without them.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::process::Command;

use crate::Result;

/// Timeout of a run; the scripts stop themselves much earlier.
const PATIENCE: Duration = Duration::from_mins(10);

/// A system to compare with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Peer {
    /// mem0 with its local Qdrant, `infer=False`.
    Mem0,
    /// Chroma's persistent client.
    Chroma,
}

impl Peer {
    /// Its name in metrics.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Mem0 => "mem0",
            Self::Chroma => "chroma",
        }
    }
}

/// Parameters of a run.
#[derive(Clone, Debug)]
pub(crate) struct Plan<'a> {
    /// `recall` or `write`.
    pub(crate) mode: &'static str,
    /// A file written by [`write_workload`].
    pub(crate) workload: &'a Path,
    /// Numbers of threads.
    pub(crate) clients: &'a [usize],
    /// Maximum operations per number of threads.
    pub(crate) operations: usize,
    /// Maximum seconds per number of threads.
    pub(crate) max_seconds: u64,
}

/// The output of a peer.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Measured {
    /// Its version.
    pub(crate) version: String,
    /// Its configuration.
    pub(crate) note: String,
    /// One per number of threads.
    pub(crate) runs: Vec<Run>,
}

/// Measurements with one number of threads. Figures are missing if all operations failed.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Run {
    /// Threads.
    pub(crate) clients: usize,
    /// Operations that succeeded.
    pub(crate) operations: usize,
    /// Operations that failed.
    pub(crate) errors: usize,
    /// Median in milliseconds.
    pub(crate) p50_ms: Option<f64>,
    /// 99th percentile in milliseconds.
    pub(crate) p99_ms: Option<f64>,
    /// Operations per second.
    pub(crate) per_second: Option<f64>,
}

/// Python with the peers installed.
pub(crate) struct Peers {
    scripts: PathBuf,
    python: PathBuf,
}

impl Peers {
    /// Installs the peers if missing.
    pub(crate) async fn install(checkout: &Path) -> Result<Self> {
        let scripts = checkout.join("tests/bench/peers");
        let venv = checkout.join(".cache/bench-venv");
        let peers = Self { scripts, python: venv.join("bin/python") };
        let wanted = tokio::fs::read_to_string(peers.scripts.join("requirements.txt")).await?;
        let stamp = venv.join("installed.txt");
        if tokio::fs::read_to_string(&stamp).await.is_ok_and(|installed| installed == wanted) {
            return Ok(peers);
        }
        run(Command::new("python3").args(["-m", "venv"]).arg(&venv)).await?;
        let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"];
        run(Command::new(&peers.python).args(pip).arg(peers.scripts.join("requirements.txt"))).await?;
        tokio::fs::write(&stamp, wanted).await?;
        Ok(peers)
    }

    /// Runs a peer in a new folder.
    pub(crate) async fn measure(&self, peer: Peer, plan: &Plan<'_>) -> Result<Measured> {
        let folder = tempfile::tempdir()?;
        let settings = json!({
            "mode": plan.mode,
            "workload": plan.workload,
            "folder": folder.path(),
            "clients": plan.clients,
            "operations": plan.operations,
            "max_seconds": plan.max_seconds,
        });
        self.script(peer.name(), &settings).await
    }

    /// Runs `<name>_bench.py` with one argument; parses the last line of its output.
    pub(crate) async fn script<T: DeserializeOwned>(&self, name: &str, settings: &Value) -> Result<T> {
        let script = self.scripts.join(format!("{name}_bench.py"));
        let printed = run(Command::new(&self.python).arg("-B").arg(script).arg(settings.to_string())).await?;
        let line = printed.lines().last().unwrap_or_default();
        Ok(serde_json::from_str(line)?)
    }
}

/// Writes the workload for all systems: (user, text) of memories and of queries.
pub(crate) fn write_workload(
    path: &Path,
    memories: impl IntoIterator<Item = (String, String)>,
    queries: impl IntoIterator<Item = (String, String)>,
) -> Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    let memories = memories.into_iter().map(|row| ("memory", row));
    for (kind, (user, text)) in memories.chain(queries.into_iter().map(|row| ("query", row))) {
        serde_json::to_writer(&mut file, &json!({ "kind": kind, "user": user, "text": text }))?;
        file.write_all(b"\n")?;
    }
    file.flush()?;
    Ok(())
}

/// Runs a command and returns its output; if it fails, the error contains its last lines.
async fn run(command: &mut Command) -> Result<String> {
    run_within(PATIENCE, command).await
}

/// Like [`run`], with a timeout.
pub(crate) async fn run_within(patience: Duration, command: &mut Command) -> Result<String> {
    let command = command.stdin(Stdio::null()).kill_on_drop(true);
    let output = tokio::time::timeout(patience, command.output()).await??;
    if output.status.success() {
        return Ok(String::from_utf8(output.stdout)?);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let last = said.lines().rev().take(3).collect::<Vec<_>>().join(" / ");
    Err(format!("{} ended with {}: {last}", command.as_std().get_program().display(), output.status).into())
}
