//! `kimberly embedder bulk FOLDER [--document-prefix TEXT] [--query-prefix TEXT]`: runs a model for `kimberly embed
//! --offline`, without data folder or server. Reads texts from stdin and writes vectors to stdout, one JSON line
//! each, in order; the first line names the model.

use std::ffi::OsString;
use std::io::Write as _;
use std::num::NonZero;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::thread::available_parallelism;

use futures::StreamExt as _;
use futures::stream::FuturesOrdered;
use serde::Deserialize;
use serde_json::json;
use tokio::io::{AsyncBufReadExt as _, BufReader};

use crate::lanes::{Embedder, Lane};
use crate::model::{Model, Options, Precision, Prefixes};

/// Lines processed at once.
const AT_ONCE: usize = 256;

/// The options of a bulk run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bulk {
    folder: PathBuf,
    prefixes: Prefixes,
}

/// Parses the arguments of `bulk`; `None` for other commands. The error says what is wrong with the rest.
pub fn asked(mut arguments: impl Iterator<Item = OsString>) -> Option<Result<Bulk, String>> {
    let folder = arguments.next().filter(|first| first == "bulk").and_then(|_| arguments.next())?;
    let mut prefixes = Prefixes::default();
    while let Some(name) = arguments.next() {
        let prefix = match name.to_str() {
            Some("--document-prefix") => &mut prefixes.document,
            Some("--query-prefix") => &mut prefixes.query,
            _ => return Some(Err(format!("{} is not an option of bulk", name.display()))),
        };
        match arguments.next().map(OsString::into_string) {
            Some(Ok(text)) => *prefix = Some(text),
            _ => return Some(Err(format!("{} needs a text after it, in UTF-8", name.display()))),
        }
    }
    Some(Ok(Bulk { folder: folder.into(), prefixes }))
}

/// Texts of one document.
#[derive(Deserialize)]
struct Line {
    texts: Vec<String>,
}

/// Runs until stdin ends.
pub fn run(bulk: Result<Bulk, String>) -> ExitCode {
    let ended = bulk.and_then(|bulk| open(&bulk)).and_then(|embedder| {
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

fn open(bulk: &Bulk) -> Result<Embedder, String> {
    let options = Options { prefixes: bulk.prefixes.clone(), ..Options::new(Precision::Int8) };
    let model = Model::open(&bulk.folder, &options)
        .map_err(|error| format!("the model in {} cannot be used: {error}", bulk.folder.display()))?;
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

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(arguments: &[&str]) -> Option<Result<Bulk, String>> {
        asked(arguments.iter().map(OsString::from))
    }

    #[test]
    fn a_folder_and_prefixes_are_understood_and_nothing_else() {
        assert_eq!(parsed(&["check", "m"]), None);
        assert_eq!(parsed(&["bulk"]), None);
        let bulk = parsed(&["bulk", "m", "--document-prefix", "passage: ", "--query-prefix", ""]).unwrap().unwrap();
        assert_eq!(bulk.folder, PathBuf::from("m"));
        assert_eq!(bulk.prefixes, Prefixes { query: Some(String::new()), document: Some("passage: ".to_owned()) });
        assert!(parsed(&["bulk", "m", "--threads", "3"]).unwrap().unwrap_err().contains("--threads"));
        assert!(parsed(&["bulk", "m", "--query-prefix"]).unwrap().unwrap_err().contains("needs a text"));
    }
}
