//! One process: starts it, prints its output, stops it.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use kimberly_runtime::STOP_WITH_STDIN;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};
use tokio::process::{Child, ChildStdin, Command};
use tokio::task::JoinSet;

use super::printer::Printer;
use crate::tls::Identity;

/// How long to wait for the last lines of an ended process.
const LAST_LINES: Duration = Duration::from_millis(500);

/// A process to run.
#[derive(Debug)]
pub(super) struct Service {
    pub(super) name: &'static str,
    /// Configuration key of the address, for messages.
    pub(super) key: &'static str,
    pub(super) address: SocketAddr,
    /// The certificate that the process presents; `None` without TLS.
    pub(super) certificate: Option<PathBuf>,
    /// The client certificate for health checks.
    pub(super) identity: Option<Identity>,
    pub(super) binary: PathBuf,
    pub(super) config: Option<PathBuf>,
    pub(super) data_dir: PathBuf,
}

impl Service {
    /// Whether Kimberly is useless without it. Without the embedder, memories can still be stored and recalled.
    pub(super) fn is_needed(&self) -> bool {
        self.name != "embedder"
    }
}

/// A running process. Dropping it kills the process.
pub(super) struct Running {
    child: Child,
    /// Held here and not in `child`, whose `wait` would close it and so request a stop.
    stdin: Option<ChildStdin>,
    lines: JoinSet<()>,
}

impl Running {
    /// Starts the process in its own process group, so that Ctrl-C reaches it only through us.
    pub(super) fn start(service: &Service, printer: Printer) -> io::Result<Self> {
        let mut command = Command::new(&service.binary);
        command.arg(service.name);
        if let Some(file) = &service.config {
            command.arg("--config").arg(file);
        }
        command.env("KIMBERLY_DATA_DIR", &service.data_dir);
        command.env(STOP_WITH_STDIN, "1").process_group(0).kill_on_drop(true);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let mut lines = JoinSet::new();
        if let Some(out) = child.stdout.take() {
            lines.spawn(forward(service.name, out, printer));
        }
        if let Some(err) = child.stderr.take() {
            lines.spawn(forward(service.name, err, printer));
        }
        let stdin = child.stdin.take();
        Ok(Self { child, stdin, lines })
    }

    /// Waits until the process has ended by itself and its last lines are printed. Cancel-safe.
    pub(super) async fn ended(&mut self) -> io::Result<ExitStatus> {
        let status = self.child.wait().await;
        self.last_lines().await;
        status
    }

    /// Requests a stop, and kills the process after `bound`. Returns `false` if it was killed.
    pub(super) async fn stop(mut self, bound: Duration) -> bool {
        drop(self.stdin.take());
        let in_time = tokio::time::timeout(bound, self.child.wait()).await.is_ok();
        if !in_time {
            let _ = self.child.kill().await;
        }
        self.last_lines().await;
        in_time
    }

    async fn last_lines(&mut self) {
        let _ = tokio::time::timeout(LAST_LINES, async { while self.lines.join_next().await.is_some() {} }).await;
    }
}

async fn forward(name: &'static str, from: impl AsyncRead + Unpin, printer: Printer) {
    let mut from = BufReader::new(from);
    let mut line = Vec::new();
    while from.read_until(b'\n', &mut line).await.is_ok_and(|read| read > 0) {
        printer.line(name, String::from_utf8_lossy(&line).trim_end());
        line.clear();
    }
}
