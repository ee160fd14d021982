//! An export in progress: `<file>.part` contains the data so far, and `<file>.part.cursor` the position up to which it
//! is synced, so that an interrupted export can resume.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, BufWriter, Read, Seek as _, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::lines::{CONSENT, RECORD};
use crate::error::{CliError, CliResult};

/// Bytes between two saved positions.
const SAVE_EVERY: u64 = 4 << 20;

/// The position of an export.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Position {
    /// The server's cursor among memories; empty at the start.
    pub(super) cursor: String,
    /// Memories so far.
    pub(super) memories: u64,
    /// The server's cursor among attachments; empty before the first. No memories follow after it.
    pub(super) behind: String,
    /// Attachments so far.
    pub(super) attachments: u64,
    /// Size of the file so far, in bytes.
    bytes: u64,
}

/// The unfinished file.
pub(super) struct Part {
    file: PathBuf,
    unfinished: PathBuf,
    saved: PathBuf,
    out: BufWriter<File>,
    written: u64,
    saved_at: u64,
}

impl Part {
    /// Starts over, or resumes an interrupted export.
    pub(super) fn open(file: &Path, resume: bool) -> CliResult<(Self, Position)> {
        let part = file.with_added_extension("part");
        let saved = part.with_added_extension("cursor");
        let position = if resume { read_position(&saved)? } else { Position::default() };
        if !resume {
            remove(&saved)?;
        }
        // A kill while a position was being saved leaves this file.
        remove(&staged(&saved))?;
        let opened = OpenOptions::new().write(true).create(!resume).truncate(!resume).mode(0o600).open(&part);
        let mut opened = opened.map_err(|error| CliError::unwritable(&part, &error))?;
        opened.set_len(position.bytes)?;
        opened.seek(SeekFrom::End(0))?;
        let (out, written) = (BufWriter::new(opened), position.bytes);
        Ok((Self { file: file.to_owned(), unfinished: part, saved, out, written, saved_at: written }, position))
    }

    /// The lines of consents before the first memory.
    pub(super) fn consents(&self) -> CliResult<Vec<String>> {
        let holds = |line: &Value, kind: &str| line.get(kind).is_some();
        let mut consents = Vec::new();
        for line in BufReader::new(File::open(&self.unfinished)?).lines() {
            let line = line?;
            match serde_json::from_str(&line).unwrap_or_default() {
                value if holds(&value, CONSENT) => consents.push(line),
                value if holds(&value, RECORD) => break,
                _ => {}
            }
        }
        Ok(consents)
    }

    /// Saves the position after every [`SAVE_EVERY`] bytes.
    pub(super) fn passed(&mut self, position: &Position) -> CliResult {
        if self.is_due(SAVE_EVERY) { self.save(position) } else { Ok(()) }
    }

    /// Whether at least this many bytes were written since the last saved position.
    pub(super) const fn is_due(&self, bytes: u64) -> bool {
        self.written - self.saved_at >= bytes
    }

    /// Reads what the file contained when it was opened.
    pub(super) fn before(&self) -> CliResult<impl Read + use<>> {
        Ok(File::open(&self.unfinished)?.take(self.written))
    }

    /// Saves the position, after syncing the data before it.
    pub(super) fn save(&mut self, position: &Position) -> CliResult {
        self.out.flush()?;
        self.out.get_ref().sync_data()?;
        let Position { cursor, memories, behind, attachments, .. } = position;
        let position = json!({
            "cursor": cursor, "memories": memories, "behind": behind, "attachments": attachments, "bytes": self.written,
        });
        let staged = staged(&self.saved);
        let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&staged)?;
        writeln!(file, "{position}")?;
        file.sync_data()?;
        fs::rename(staged, &self.saved)?;
        self.saved_at = self.written;
        Ok(())
    }

    /// Gives the complete file its name.
    pub(super) fn finish(self) -> CliResult {
        let file = self.out.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.sync_all()?;
        // Removed first: a saved position without its partial file would make a later `--resume` fail.
        remove(&self.saved)?;
        fs::rename(&self.unfinished, &self.file).map_err(|error| CliError::unwritable(&self.file, &error))
    }
}

impl Write for Part {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = self.out.write(bytes)?;
        self.written += taken as u64;
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Temporary path of a saved position.
fn staged(saved: &Path) -> PathBuf {
    saved.with_added_extension("new")
}

fn read_position(saved: &Path) -> CliResult<Position> {
    let missing = |error| {
        let name = saved.display();
        CliError::usage(format!("{name} cannot be read ({error}), so there is nothing to resume; omit --resume"))
    };
    let text = fs::read_to_string(saved).map_err(missing)?;
    let value: Value = serde_json::from_str(&text).unwrap_or_default();
    let position = || {
        Some(Position {
            cursor: value.get("cursor")?.as_str()?.to_owned(),
            memories: value.get("memories")?.as_u64()?,
            behind: value.get("behind")?.as_str()?.to_owned(),
            attachments: value.get("attachments")?.as_u64()?,
            bytes: value.get("bytes")?.as_u64()?,
        })
    };
    position().ok_or_else(|| CliError::usage(format!("{} is damaged; omit --resume", saved.display())))
}

fn remove(path: &Path) -> CliResult {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_saved_is_gone_on_with_and_what_came_after_is_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("out.jsonl");
        let (mut part, position) = Part::open(&file, false).unwrap();
        assert_eq!(position, Position::default());
        writeln!(part, "one").unwrap();
        let first =
            Position { cursor: "c1".to_owned(), memories: 1, behind: "a1".to_owned(), attachments: 3, bytes: 0 };
        part.save(&first).unwrap();
        writeln!(part, "half of tw").unwrap();
        part.passed(&Position { cursor: "c2".to_owned(), memories: 2, ..first.clone() }).unwrap();
        part.flush().unwrap();
        drop(part);
        // As left by a kill while a position is saved.
        fs::write(folder.path().join("out.jsonl.part.cursor.new"), "{").unwrap();
        let (mut part, position) = Part::open(&file, true).unwrap();
        assert_eq!(position, Position { bytes: 4, ..first });
        writeln!(part, "two").unwrap();
        part.finish().unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "one\ntwo\n");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside it");
    }

    #[test]
    fn there_must_be_something_to_go_on_with() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("out.jsonl");
        assert!(Part::open(&file, true).map(drop).unwrap_err().message().contains("--resume"));
        fs::write(folder.path().join("out.jsonl.part.cursor"), "{}").unwrap();
        assert!(Part::open(&file, true).map(drop).unwrap_err().message().contains("damaged"));
    }
}
