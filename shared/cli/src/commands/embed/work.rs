//! Computed vectors that may not be uploaded yet, one item per line, so that an interruption loses no computation.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use kimberly_proto::v1;
use serde_json::{Value, json};

use crate::error::{CliError, CliResult};

/// The work file. Its first line names the model; truncated lines are ignored.
pub(super) struct Work {
    path: PathBuf,
    file: File,
    done: HashMap<String, Position>,
    /// Size of the file, in bytes.
    end: u64,
}

/// The position of an item in the file.
struct Position {
    fingerprint: String,
    from: u64,
    bytes: usize,
}

impl Work {
    /// Opens or creates the file. Refuses, and leaves unchanged, a file of another model or of something else.
    pub(super) fn open(path: &Path, model: &str) -> CliResult<Self> {
        let file = OpenOptions::new().read(true).append(true).create(true).mode(0o600).open(path);
        let file = file.map_err(|error| CliError::unwritable(path, &error))?;
        file.try_lock().map_err(|error| {
            CliError::usage(format!("{} is in use ({error}); wait for the other run, or use --work", path.display()))
        })?;
        let mut work = Self { path: path.to_owned(), file, done: HashMap::new(), end: 0 };
        let mut lines = BufReader::new(File::open(path)?);
        let mut line = Vec::new();
        if !work.is_of(model, lines.read_until(b'\n', &mut line)?, &line)? {
            work.append(&json!({"model": model}))?;
            return Ok(work);
        }
        loop {
            let from = work.end;
            line.clear();
            let bytes = lines.read_until(b'\n', &mut line)?;
            if bytes == 0 {
                break;
            }
            work.end += bytes as u64;
            if let Some(item) = read(&line) {
                work.done.insert(item.id, Position { fingerprint: item.fingerprint, from, bytes });
            }
        }
        if !work.ends_with_a_line()? {
            // A truncated line must not join the next one.
            work.file.write_all(b"\n")?;
            work.end += 1;
        }
        Ok(work)
    }

    /// The saved vectors of exactly these texts, if any.
    pub(super) fn get(&mut self, of: &v1::EmbeddingTexts) -> CliResult<Option<v1::EmbeddingItem>> {
        let Some(position) = self.done.get(&of.id).filter(|position| position.fingerprint == of.fingerprint) else {
            return Ok(None);
        };
        let mut line = vec![0; position.bytes];
        self.file.seek(SeekFrom::Start(position.from))?;
        self.file.read_exact(&mut line)?;
        Ok(read(&line))
    }

    /// Saves an item.
    pub(super) fn save(&mut self, item: &v1::EmbeddingItem) -> CliResult {
        let vectors: Vec<&[f32]> = item.vectors.iter().map(|vector| vector.values.as_slice()).collect();
        let from = self.end;
        let bytes = self.append(&json!({"id": item.id, "fingerprint": item.fingerprint, "vectors": vectors}))?;
        self.done.insert(item.id.clone(), Position { fingerprint: item.fingerprint.clone(), from, bytes });
        Ok(())
    }

    /// Removes the file.
    pub(super) fn remove(self) -> CliResult {
        Ok(std::fs::remove_file(&self.path)?)
    }

    fn append(&mut self, line: &Value) -> CliResult<usize> {
        let line = format!("{line}\n");
        self.file.write_all(line.as_bytes())?;
        self.end += line.len() as u64;
        Ok(line.len())
    }

    /// Whether the first line names this model; `false` for a new file, which the caller starts.
    fn is_of(&mut self, model: &str, bytes: usize, line: &[u8]) -> CliResult<bool> {
        self.end = bytes as u64;
        if format!("{}\n", json!({"model": model})).as_bytes().strip_prefix(line).is_some_and(|rest| !rest.is_empty()) {
            // The file is empty, or its first line was truncated.
            self.file.set_len(0)?;
            self.end = 0;
            return Ok(false);
        }
        let named = serde_json::from_slice::<Value>(line).ok();
        let named = named.as_ref().and_then(|head| head.get("model")).and_then(Value::as_str);
        let path = self.path.display();
        match named {
            Some(named) if named == model => Ok(true),
            Some(other) => Err(CliError::usage(format!(
                "{path} holds vectors of the model {other}, and this is {model}; remove it, or name another file with --work"
            ))),
            None => Err(CliError::usage(format!(
                "{path} exists and is not a vector file of `kimberly embed`; name another one with --work"
            ))),
        }
    }

    fn ends_with_a_line(&mut self) -> CliResult<bool> {
        let mut last = [0];
        self.file.seek(SeekFrom::End(-1))?;
        self.file.read_exact(&mut last)?;
        Ok(last == *b"\n")
    }
}

fn read(line: &[u8]) -> Option<v1::EmbeddingItem> {
    let value: Value = serde_json::from_slice(line).ok()?;
    let text = |key| Some(value.get(key)?.as_str()?.to_owned());
    let vector = |vector: &Value| {
        let values = vector.as_array()?.iter().map(super::machine::number).collect::<Option<_>>()?;
        Some(v1::Vector { values })
    };
    let vectors = value.get("vectors")?.as_array()?.iter().map(vector).collect::<Option<_>>()?;
    Some(v1::EmbeddingItem { id: text("id")?, fingerprint: text("fingerprint")?, vectors })
}

#[cfg(test)]
mod tests;
