//! `kimberly-embedder bulk FOLDER`: a model for `kimberly embed --offline`, with no data folder and no server. Texts come
//! on stdin and vectors go to stdout, a line of JSON each, in order; the first line says which model it is.

use std::io::Write as _;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::thread::available_parallelism;

use futures::StreamExt as _;
use futures::stream::FuturesOrdered;
use serde::Deserialize;
use serde_json::json;
use tokio::io::{AsyncBufReadExt as _, BufReader};

use crate::lanes::{Embedder, Lane};
use crate::model::{Model, Options};

/// Lines that are worked on at once.
const AT_ONCE: usize = 256;

/// The folder after `bulk`, if that is asked for.
pub fn asked(mut arguments: impl Iterator<Item = std::ffi::OsString>) -> Option<PathBuf> {
    arguments.next().filter(|first| first == "bulk").and_then(|_| arguments.next()).map(PathBuf::from)
}

/// Texts that belong together.
#[derive(Deserialize)]
struct Line {
    texts: Vec<String>,
}

/// Runs until stdin ends.
pub fn run(folder: &Path, options: &Options) -> ExitCode {
    let ended = open(folder, options).and_then(|embedder| {
        let runtime = tokio::runtime::Builder::new_current_thread().build().map_err(|error| error.to_string())?;
        runtime.block_on(pump(&embedder))
    });
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            let _ = writeln!(std::io::stderr(), "kimberly-embedder: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn open(folder: &Path, options: &Options) -> Result<Embedder, String> {
    let model = Model::open(folder, options)
        .map_err(|error| format!("the model in {} cannot be used: {error}", folder.display()))?;
    let threads = available_parallelism().map_or(1, NonZero::get);
    Embedder::start(Arc::new(model), threads).map_err(|error| format!("no threads for the model: {error}"))
}

async fn pump(embedder: &Embedder) -> Result<(), String> {
    say(&json!({"model": embedder.key().slug(), "dimension": embedder.key().dimension()}))?;
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    let (mut under_way, mut more) = (FuturesOrdered::new(), true);
    while more || !under_way.is_empty() {
        tokio::select! {
            line = lines.next_line(), if more && under_way.len() < AT_ONCE => match line {
                Ok(Some(line)) => under_way.push_back(answer(embedder, line)),
                Ok(None) => more = false,
                Err(error) => return Err(format!("stdin cannot be read: {error}")),
            },
            Some(answer) = under_way.next() => say(&answer)?,
        }
    }
    Ok(())
}

async fn answer(embedder: &Embedder, line: String) -> serde_json::Value {
    let texts = match serde_json::from_str::<Line>(&line) {
        Ok(line) => line.texts,
        Err(error) => return json!({"error": format!("a line is not {{\"texts\": [...]}}: {error}")}),
    };
    match embedder.embed(texts, Lane::Bulk).await {
        Ok(vectors) => json!({"vectors": vectors}),
        Err(error) => json!({"error": error.to_string()}),
    }
}

fn say(line: &serde_json::Value) -> Result<(), String> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").and_then(|()| out.flush()).map_err(|error| format!("stdout cannot be written: {error}"))
}
