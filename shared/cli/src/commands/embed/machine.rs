//! The model on this machine: runs the embedder's program in bulk mode, which reads and writes JSON lines in order.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::error::{CliError, CliResult};
use crate::roles;

/// The model and how it is opened; its vectors depend on all of it.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct ModelArgs {
    /// Folder of the model, with the same files as on the server
    #[arg(long, value_name = "FOLDER", requires = "offline")]
    pub(super) model: Option<PathBuf>,
    /// The `embedder.document_prefix` of the server, if it has one
    #[arg(long, value_name = "TEXT", requires = "model")]
    document_prefix: Option<String>,
    /// The `embedder.query_prefix` of the server, if it has one
    #[arg(long, value_name = "TEXT", requires = "model")]
    query_prefix: Option<String>,
}

/// A running model.
pub(super) struct Machine {
    child: Child,
    input: Option<ChildStdin>,
    /// Lines of the program's output. They are always read: the program accepts no more texts while its output is
    /// blocked.
    said: UnboundedReceiver<std::io::Result<String>>,
    /// The slug of the model.
    pub(super) model: String,
}

impl Machine {
    /// Starts the program with the model in a folder; takes a moment.
    pub(super) async fn start(folder: &Path, args: &ModelArgs) -> CliResult<Self> {
        let program = roles::program()?;
        let mut command = Command::new(&program);
        command.args(["embedder", "bulk"]).arg(folder);
        for (name, prefix) in [("--document-prefix", &args.document_prefix), ("--query-prefix", &args.query_prefix)] {
            command.args(prefix.iter().flat_map(|prefix| [name, prefix]));
        }
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| CliError::failed(format!("{} cannot be started: {error}", program.display())))?;
        let input = child.stdin.take();
        let output = child.stdout.take().ok_or_else(|| CliError::failed("the embedder has no output"))?;
        let (say, said) = unbounded_channel();
        tokio::spawn(listen(output, say));
        let mut machine = Self { child, input, said, model: String::new() };
        let first = machine.line().await?;
        let model = first.get("model").and_then(Value::as_str).unwrap_or_default().to_owned();
        Ok(Self { model, ..machine })
    }

    /// Sends texts to the model; [`Self::take`] returns their vectors in the same order.
    pub(super) async fn give(&mut self, texts: &[String]) -> CliResult {
        let line = format!("{}\n", json!({"texts": texts}));
        match &mut self.input {
            Some(input) => Ok(input.write_all(line.as_bytes()).await?),
            None => Err(CliError::failed("the embedder accepts no more texts")),
        }
    }

    /// The vectors of the next texts, or why the model failed.
    pub(super) async fn take(&mut self) -> CliResult<Result<Vec<Vec<f32>>, String>> {
        let line = self.line().await?;
        let Some(vectors) = line.get("vectors").and_then(Value::as_array) else {
            let why = line.get("error").and_then(Value::as_str).unwrap_or("it did not say why");
            return Ok(Err(why.to_owned()));
        };
        let numbers = |vector: &Value| vector.as_array().into_iter().flatten().filter_map(number).collect();
        Ok(Ok(vectors.iter().map(numbers).collect()))
    }

    /// Ends the program.
    pub(super) async fn end(mut self) -> CliResult {
        drop(self.input.take());
        self.child.wait().await?;
        Ok(())
    }

    async fn line(&mut self) -> CliResult<Value> {
        match self.said.recv().await.transpose()? {
            Some(line) => serde_json::from_str(&line)
                .map_err(|error| CliError::failed(format!("the embedder's output is not JSON: {error}"))),
            None => Err(CliError::failed("the embedder ended; its output above says why")),
        }
    }
}

/// Reads lines until the output ends or the receiver is dropped.
async fn listen(output: ChildStdout, say: UnboundedSender<std::io::Result<String>>) {
    let mut lines = BufReader::new(output).lines();
    while let Some(line) = lines.next_line().await.transpose() {
        let failed = line.is_err();
        if say.send(line).is_err() || failed {
            return;
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "they were 32-bit numbers when they were written")]
pub(super) fn number(value: &Value) -> Option<f32> {
    value.as_f64().map(|value| value as f32)
}
