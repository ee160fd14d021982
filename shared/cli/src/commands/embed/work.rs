//! What was computed and not sent yet, a line an item, so that a cut costs nothing that was computed.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use kimberly_proto::v1;
use serde_json::{Value, json};

use crate::error::{CliError, CliResult};

/// The file.
pub(super) struct Work {
    path: PathBuf,
    file: File,
    /// Fingerprints of what it holds, by id.
    done: HashMap<String, String>,
}

impl Work {
    /// Opens the file, or makes it. A line that was cut is dropped, and so is what another model made.
    pub(super) fn open(path: &Path, model: &str) -> CliResult<Self> {
        let options = |truncate: bool| {
            OpenOptions::new()
                .read(true)
                .append(!truncate)
                .write(true)
                .truncate(truncate)
                .create(true)
                .mode(0o600)
                .open(path)
        };
        let failed = |error| CliError::usage(format!("{} cannot be written: {error}", path.display()));
        let mut work = Self { path: path.to_owned(), file: options(false).map_err(failed)?, done: HashMap::new() };
        let (kept, whole) = work.read(model)?;
        if !whole {
            work.file = options(true).map_err(failed)?;
            writeln!(work.file, "{}", json!({"model": model}))?;
            for item in &kept {
                work.write(item)?;
            }
        }
        work.done = kept.into_iter().map(|item| (item.id, item.fingerprint)).collect();
        Ok(work)
    }

    /// Whether vectors of just these texts are there.
    pub(super) fn holds(&self, item: &v1::EmbeddingTexts) -> bool {
        self.done.get(&item.id) == Some(&item.fingerprint)
    }

    /// Keeps an item.
    pub(super) fn keep(&mut self, item: &v1::EmbeddingItem) -> CliResult {
        self.write(item)?;
        self.done.insert(item.id.clone(), item.fingerprint.clone());
        Ok(())
    }

    /// All items, the latest of each.
    pub(super) fn items(&self) -> CliResult<Vec<v1::EmbeddingItem>> {
        let mut items = Vec::new();
        for line in BufReader::new(File::open(&self.path)?).lines().skip(1) {
            let item = read(&line?).filter(|item| self.done.get(&item.id) == Some(&item.fingerprint));
            items.extend(item);
        }
        Ok(items)
    }

    /// Removes the file.
    pub(super) fn remove(self) -> CliResult {
        Ok(std::fs::remove_file(&self.path)?)
    }

    fn write(&mut self, item: &v1::EmbeddingItem) -> CliResult {
        let vectors: Vec<&[f32]> = item.vectors.iter().map(|vector| vector.values.as_slice()).collect();
        let line = format!("{}\n", json!({"id": item.id, "fingerprint": item.fingerprint, "vectors": vectors}));
        Ok(self.file.write_all(line.as_bytes())?)
    }

    /// The items of this model, and whether the file holds nothing else.
    fn read(&mut self, model: &str) -> CliResult<(Vec<v1::EmbeddingItem>, bool)> {
        let mut lines = BufReader::new(File::open(&self.path)?).lines();
        let head: Value = match lines.next() {
            Some(line) => serde_json::from_str(&line?).unwrap_or_default(),
            None => return Ok((Vec::new(), false)),
        };
        if head.get("model").and_then(Value::as_str) != Some(model) {
            return Ok((Vec::new(), false));
        }
        let (mut items, mut whole) = (Vec::new(), true);
        for line in lines {
            match read(&line?) {
                Some(item) => items.push(item),
                None => whole = false,
            }
        }
        Ok((items, whole))
    }
}

fn read(line: &str) -> Option<v1::EmbeddingItem> {
    let value: Value = serde_json::from_str(line).ok()?;
    let text = |key| Some(value.get(key)?.as_str()?.to_owned());
    let vector = |vector: &Value| {
        let values = vector.as_array()?.iter().map(super::machine::number).collect::<Option<_>>()?;
        Some(v1::Vector { values })
    };
    let vectors = value.get("vectors")?.as_array()?.iter().map(vector).collect::<Option<_>>()?;
    Some(v1::EmbeddingItem { id: text("id")?, fingerprint: text("fingerprint")?, vectors })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(id: &str, fingerprint: &str) -> v1::EmbeddingItem {
        let vectors =
            vec![v1::Vector { values: vec![0.6, -0.8] }, v1::Vector { values: vec![1.0 / 3.0, 0.942_809_04] }];
        v1::EmbeddingItem { id: id.to_owned(), fingerprint: fingerprint.to_owned(), vectors }
    }

    fn texts(id: &str, fingerprint: &str) -> v1::EmbeddingTexts {
        v1::EmbeddingTexts { id: id.to_owned(), fingerprint: fingerprint.to_owned(), texts: Vec::new() }
    }

    #[test]
    fn what_was_computed_is_there_after_a_cut_to_the_bit() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("work");
        let mut work = Work::open(&file, "m").unwrap();
        work.keep(&item("a", "1")).unwrap();
        work.keep(&item("b", "1")).unwrap();
        work.keep(&item("a", "2")).unwrap();
        drop(work);
        let mut cut = OpenOptions::new().append(true).open(&file).unwrap();
        cut.write_all(b"{\"id\": \"c\", \"finger").unwrap();
        let work = Work::open(&file, "m").unwrap();
        assert!(work.holds(&texts("a", "2")) && !work.holds(&texts("a", "1")) && !work.holds(&texts("c", "1")));
        assert_eq!(work.items().unwrap(), [item("b", "1"), item("a", "2")]);
        assert_eq!(Work::open(&file, "m").unwrap().items().unwrap().len(), 2);
        work.remove().unwrap();
        assert!(!file.exists());
    }

    #[test]
    fn what_another_model_made_is_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("work");
        Work::open(&file, "m").unwrap().keep(&item("a", "1")).unwrap();
        assert!(Work::open(&file, "other").unwrap().items().unwrap().is_empty());
    }
}
