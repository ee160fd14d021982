//! Messages spooled while Kimberly did not run, until the next event: a bounded file of lines that only this account
//! can read.
//!
//! An event takes the whole file by renaming it, so that no two events deliver the same messages. A killed event leaves
//! its renamed file, which a later event takes; messages delivered twice are recognized by their ids.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use super::private::append;
use super::transcript::Said;

const NAME: &str = "spool.jsonl";
const TAKEN: &str = "spool.taken.";
/// Maximum size of the spool, in bytes; the oldest messages are dropped first.
const MOST: usize = 8 << 20;
/// After this time, an event that took messages has certainly ended.
const ENDED_AFTER: Duration = Duration::from_mins(1);

/// A spooled message with its destination.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Waiting {
    pub(super) user: String,
    pub(super) namespace: String,
    pub(super) session: String,
    pub(super) said: Said,
}

/// The spool file.
#[derive(Debug)]
pub(crate) struct Spool {
    folder: PathBuf,
}

impl Spool {
    pub(crate) fn at(folder: &Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    /// Size of all spooled messages, in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.files().iter().filter_map(|file| fs::metadata(file).ok()).map(|facts| facts.len()).sum()
    }

    /// Adds messages to the spool.
    pub(super) fn add(&self, waiting: &[Waiting]) -> io::Result<()> {
        let lines: Vec<String> = waiting
            .iter()
            .map(|one| serde_json::to_string(one).map_err(io::Error::other))
            .collect::<io::Result<_>>()?;
        if lines.is_empty() {
            return Ok(());
        }
        let file = self.folder.join(NAME);
        let bytes: usize = lines.iter().map(|line| line.len() + 1).sum();
        let held = fs::metadata(&file).map_or(0, |facts| usize::try_from(facts.len()).unwrap_or(usize::MAX));
        if held.saturating_add(bytes) <= MOST {
            return append(&file)?.write_all(joined(&lines).as_bytes());
        }
        let before = fs::read_to_string(&file).unwrap_or_default();
        let all: Vec<&str> = before.lines().chain(lines.iter().map(String::as_str)).collect();
        let mut left = MOST;
        let fits = all.iter().rev().take_while(|line| {
            let fits = line.len() < left;
            left = left.saturating_sub(line.len() + 1);
            fits
        });
        let kept: Vec<&str> = all[all.len() - fits.count()..].to_vec();
        let new = self.folder.join(format!("{NAME}.{}", std::process::id()));
        append(&new)?.write_all(joined(&kept).as_bytes())?;
        fs::rename(new, file)
    }

    /// All spooled messages, in order.
    pub(super) fn waiting(&self) -> Vec<Waiting> {
        self.files().iter().flat_map(|file| read(file)).collect()
    }

    /// Takes all spooled messages, in order. The caller finishes with [`Taken::done`].
    #[expect(clippy::disallowed_methods, reason = "compared with the times of files")]
    pub(super) fn take(&self) -> Taken {
        let mut taken = Taken::default();
        for file in self.files() {
            let is_new = file.file_name().is_some_and(|name| name == NAME);
            let may_be = is_new || fs::metadata(&file).is_ok_and(|facts| has_ended(&facts));
            let mine = self.folder.join(format!("{TAKEN}{}.{}", std::process::id(), taken.files.len()));
            if may_be && fs::rename(&file, &mine).is_ok() {
                // The file's age counts from here: a rename keeps the time of the last write.
                let _ = File::options().append(true).open(&mine).and_then(|file| file.set_modified(SystemTime::now()));
                taken.waiting.extend(read(&mine));
                taken.files.push(mine);
            }
        }
        taken
    }

    /// The spool files; those taken by events that may have died come first.
    fn files(&self) -> Vec<PathBuf> {
        let listed = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let names = listed.map(|entry| entry.file_name().to_string_lossy().into_owned());
        let mut files: Vec<PathBuf> =
            names.filter(|name| name.starts_with(TAKEN)).map(|name| self.folder.join(name)).collect();
        files.sort();
        files.push(self.folder.join(NAME));
        files
    }
}

/// The messages of a file; ignores truncated lines.
fn read(file: &Path) -> Vec<Waiting> {
    let text = fs::read_to_string(file).unwrap_or_default();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

fn has_ended(facts: &fs::Metadata) -> bool {
    facts.modified().is_ok_and(|at| at.elapsed().is_ok_and(|age| age > ENDED_AFTER))
}

fn joined<L: AsRef<str>>(lines: &[L]) -> String {
    lines.iter().flat_map(|line| [line.as_ref(), "\n"]).collect()
}

/// Messages taken from the spool.
#[derive(Debug, Default)]
pub(super) struct Taken {
    pub(super) waiting: Vec<Waiting>,
    files: Vec<PathBuf>,
}

impl Taken {
    /// Removes the taken files, after their messages were delivered or spooled again.
    pub(super) fn done(self) {
        for file in self.files {
            let _ = fs::remove_file(file);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn waiting(id: usize, bytes: usize) -> Waiting {
        let said = Said { id: id.to_string(), by_person: true, text: "x".repeat(bytes), at: String::new() };
        Waiting { user: "ana".to_owned(), namespace: String::new(), session: "s".to_owned(), said }
    }

    #[test]
    fn what_waits_is_private_taken_once_and_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let spool = Spool::at(&folder.path().join("hooks"));
        spool.add(&[waiting(1, 5), waiting(2, 5)]).unwrap();
        spool.add(&[waiting(3, 5)]).unwrap();
        let file = File::options().append(true).open(folder.path().join("hooks/spool.jsonl")).unwrap();
        file.set_modified(file.metadata().unwrap().modified().unwrap() - Duration::from_mins(10)).unwrap();
        let mode = |path: &str| fs::metadata(folder.path().join(path)).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode("hooks"), mode("hooks/spool.jsonl")), (0o700, 0o600));
        let taken = spool.take();
        assert_eq!(taken.waiting, [waiting(1, 5), waiting(2, 5), waiting(3, 5)]);
        assert!(spool.take().waiting.is_empty(), "another one is at it");
        taken.done();
        assert_eq!(spool.bytes(), 0);
    }

    #[test]
    fn it_is_bounded_and_the_oldest_goes() {
        let folder = tempfile::tempdir().unwrap();
        let spool = Spool::at(folder.path());
        for id in 0..5 {
            spool.add(&[waiting(id, MOST / 4)]).unwrap();
        }
        assert!(spool.bytes() <= MOST as u64);
        let ids: Vec<String> = spool.take().waiting.into_iter().map(|one| one.said.id).collect();
        assert_eq!(ids, ["2", "3", "4"]);
    }
}
