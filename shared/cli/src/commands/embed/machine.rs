//! The model on this machine: the embedder's program in its bulk mode, a line of JSON in, a line of JSON out, in order.

use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use crate::commands::up::binaries;
use crate::error::{CliError, CliResult};

/// A running model.
pub(super) struct Machine {
    child: Child,
    input: Option<ChildStdin>,
    output: Lines<BufReader<ChildStdout>>,
    /// The slug of the model.
    pub(super) model: String,
}

impl Machine {
    /// Starts the model in a folder; takes a moment.
    pub(super) async fn start(folder: &Path) -> CliResult<Self> {
        let program = binaries::find("embedder")?;
        let mut child = Command::new(&program)
            .arg("bulk")
            .arg(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| CliError::failed(format!("{} cannot be started: {error}", program.display())))?;
        let input = child.stdin.take();
        let output = child.stdout.take().ok_or_else(|| CliError::failed("the embedder has no output"))?;
        let mut machine = Self { child, input, output: BufReader::new(output).lines(), model: String::new() };
        let first = machine.line().await?;
        let model = first.get("model").and_then(Value::as_str).unwrap_or_default().to_owned();
        Ok(Self { model, ..machine })
    }

    /// Hands texts to the model; their vectors come in turn.
    pub(super) async fn give(&mut self, texts: &[String]) -> CliResult {
        let line = format!("{}\n", json!({"texts": texts}));
        match &mut self.input {
            Some(input) => Ok(input.write_all(line.as_bytes()).await?),
            None => Err(CliError::failed("the embedder takes nothing more")),
        }
    }

    /// The vectors of the texts whose turn it is.
    pub(super) async fn take(&mut self) -> CliResult<Vec<Vec<f32>>> {
        let line = self.line().await?;
        let vectors = line.get("vectors").and_then(Value::as_array);
        let vectors = vectors.ok_or_else(|| {
            let why = line.get("error").and_then(Value::as_str).unwrap_or("it did not say why");
            CliError::failed(format!("the model gave no vectors: {why}"))
        })?;
        let numbers = |vector: &Value| vector.as_array().into_iter().flatten().filter_map(number).collect();
        Ok(vectors.iter().map(numbers).collect())
    }

    /// Ends it.
    pub(super) async fn end(mut self) -> CliResult {
        drop(self.input.take());
        self.child.wait().await?;
        Ok(())
    }

    async fn line(&mut self) -> CliResult<Value> {
        match self.output.next_line().await? {
            Some(line) => serde_json::from_str(&line)
                .map_err(|error| CliError::failed(format!("the embedder said what is no JSON: {error}"))),
            None => Err(CliError::failed("the embedder ended; what it says above tells why")),
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "they were 32-bit numbers when they were written")]
pub(super) fn number(value: &Value) -> Option<f32> {
    value.as_f64().map(|value| value as f32)
}
