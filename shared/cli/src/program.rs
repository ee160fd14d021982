//! Work that commands have the worker's role do, since the command line must not access vaults itself: one JSON line with a
//! plan on stdin, JSON lines on stdout.

use std::io::ErrorKind;
use std::process::{ExitStatus, Stdio};

use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use crate::error::{CliError, CliResult};
use crate::roles;

/// A running program, which ends with this process.
pub(crate) struct Program {
    child: Child,
    /// Held until the end: programs stop when it closes.
    stdin: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Program {
    /// Starts `kimberly worker NAME`.
    pub(crate) fn start(name: &str) -> CliResult<Self> {
        let binary = roles::program()?;
        let mut command = Command::new(&binary);
        command.args(["worker", name]).kill_on_drop(true).stdin(Stdio::piped()).stdout(Stdio::piped());
        let not_started = |error| CliError::failed(format!("{} cannot be started: {error}", binary.display()));
        let mut child = command.spawn().map_err(not_started)?;
        let stdin = child.stdin.take().ok_or_else(|| CliError::failed("the program has no stdin"))?;
        let stdout = child.stdout.take().ok_or_else(|| CliError::failed("the program has no stdout"))?;
        Ok(Self { child, stdin, lines: BufReader::new(stdout).lines() })
    }

    /// Sends the plan.
    pub(crate) async fn send(&mut self, plan: &Value) -> CliResult {
        match self.stdin.write_all(format!("{plan}\n").as_bytes()).await {
            // The program ended before reading its plan; its output or exit status says why.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
            written => Ok(written?),
        }
    }

    /// Returns the next message, skipping lines that are none; `None` at the end of the output.
    pub(crate) async fn next<T: DeserializeOwned>(&mut self) -> CliResult<Option<T>> {
        while let Some(line) = self.lines.next_line().await? {
            if let Ok(message) = serde_json::from_str(&line) {
                return Ok(Some(message));
            }
        }
        Ok(None)
    }

    /// Waits for the end.
    pub(crate) async fn end(mut self) -> CliResult<ExitStatus> {
        Ok(self.child.wait().await?)
    }
}
