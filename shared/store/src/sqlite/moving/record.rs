//! A data folder's record of a move, in files that are written atomically, and a log of the users copied to it.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_crypto::folder_of;
use serde_json::{Value, json};
use tokio::sync::Mutex;

use crate::moving::cell::hex;
use crate::moving::side::{Known, MoveRecord, State};
use crate::moving::{half_filled, left_for, refused};
use crate::sqlite::layout::Layout;
use crate::sqlite::{errors, files};

const DOING: &str = "checking whether the data folder was migrated";

/// Reads the record, if there is one.
pub(super) async fn read(layout: &Layout) -> Result<Option<MoveRecord>> {
    let paths = [(State::Left, layout.moved()), (State::Filling, layout.moving())];
    files::off_thread(move || {
        for (state, path) in paths {
            match fs::read(&path) {
                Ok(bytes) => return parse(state, &bytes, &path).map(Some),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(errors::io(DOING, &error)),
            }
        }
        Ok(None)
    })
    .await?
}

fn parse(state: State, bytes: &[u8], path: &Path) -> Result<MoveRecord> {
    let value: Option<Value> = serde_json::from_slice(bytes).ok();
    let text = |name: &str| Some(value.as_ref()?.get(name)?.as_str()?.to_owned());
    match (text("installation"), text("other")) {
        (Some(installation), Some(other)) => Ok(MoveRecord { state, installation, other }),
        _ => Err(errors::corrupt(format!("{} cannot be read: `kimberly migrate` wrote it", path.display()))),
    }
}

/// Replaces the record.
pub(super) async fn write(layout: &Layout, record: &MoveRecord) -> Result<()> {
    let (moving, moved, restored, log) = (layout.moving(), layout.moved(), layout.restored(), layout.copied());
    let text = json!({"installation": record.installation, "other": record.other}).to_string();
    let state = record.state;
    let work = move || match state {
        State::Filling => put(&moving, text.as_bytes()),
        State::Left => put(&moved, text.as_bytes()),
        State::Arrived => {
            put(&restored, b"")?;
            remove(&log)?;
            remove(&moving)
        }
    };
    files::off_thread(work).await?.map_err(|error| errors::io("marking the data folder", &error))
}

/// Refuses a folder that was moved away or is incomplete.
pub(crate) async fn refuse_moved(layout: &Layout) -> Result<()> {
    let shown = layout.root().display().to_string();
    match read(layout).await? {
        Some(MoveRecord { state: State::Left, other, .. }) => Err(refused(left_for(&shown, &other, &undo(layout)))),
        Some(MoveRecord { state: State::Filling, other, .. }) => Err(refused(half_filled(&shown, &other))),
        Some(MoveRecord { state: State::Arrived, .. }) | None => Ok(()),
    }
}

/// How to start again in a folder that was moved away.
pub(super) fn undo(layout: &Layout) -> String {
    format!("remove the file {}", layout.moved().display())
}

fn put(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let staged = path.with_extension("new");
    let folder = folder_of(path);
    files::make_folder(folder)?;
    let mut file = File::create(&staged)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&staged, path)?;
    files::sync_folder(folder)
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Ok(()) => files::sync_folder(folder_of(path)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

/// The copied users, by the hashes of their ids, in a log with one line per copy; the last line of a user counts. Users
/// whose lines were cut off are copied again.
pub(super) struct Copied {
    path: PathBuf,
    known: Mutex<HashMap<String, Known>>,
}

impl Copied {
    pub(super) fn new(layout: &Layout) -> Self {
        Self { path: layout.copied(), known: Mutex::default() }
    }

    /// Reads the log.
    pub(super) async fn load(&self) -> Result<()> {
        let path = self.path.clone();
        let text = files::off_thread(move || whole_lines(&path));
        let text = text.await?.map_err(|error| errors::io("reading the list of copied users", &error))?;
        let mut known = self.known.lock().await;
        for line in text.lines() {
            match parse_line(line) {
                Some((hash, Some(of_user))) => drop(known.insert(hash, of_user)),
                Some((hash, None)) => drop(known.remove(&hash)),
                None => {}
            }
        }
        Ok(())
    }

    pub(super) async fn of(&self, hash: &str) -> Option<Known> {
        self.known.lock().await.get(hash).cloned()
    }

    /// Appends the state of a user, or that it was forgotten; durable on return.
    pub(super) async fn know(&self, hash: &str, of_user: Option<&Known>) -> Result<()> {
        let mut known = self.known.lock().await;
        let line = match of_user {
            Some(of_user) => format!("{hash} {} {}\n", hex(&of_user.digest), of_user.stamp),
            None => format!("{hash}\n"),
        };
        let path = self.path.clone();
        let append = move || {
            let mut file = File::options().create(true).append(true).open(path)?;
            file.write_all(line.as_bytes())?;
            file.sync_data()
        };
        let failed = |error: io::Error| {
            Error::storage(StorageFailure::Unavailable, format!("writing migration progress: {error}"))
        };
        files::off_thread(append).await?.map_err(failed)?;
        match of_user {
            Some(of_user) => drop(known.insert(hash.to_owned(), of_user.clone())),
            None => drop(known.remove(hash)),
        }
        Ok(())
    }
}

/// Reads the log and truncates it to its last complete line: text appended to a partial line would be lost.
fn whole_lines(path: &Path) -> io::Result<String> {
    let mut bytes = match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(String::new()),
        read => read?,
    };
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
    if whole < bytes.len() {
        bytes.truncate(whole);
        let file = File::options().write(true).open(path)?;
        file.set_len(u64::try_from(whole).map_err(io::Error::other)?)?;
        file.sync_all()?;
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Parses a user's hash and state.
fn parse_line(line: &str) -> Option<(String, Option<Known>)> {
    let mut parts = line.splitn(3, ' ');
    let hash = parts.next().filter(|hash| hash.len() == 64)?.to_owned();
    let Some(digits) = parts.next() else { return Some((hash, None)) };
    let stamp = parts.next()?.to_owned();
    let mut digest = [0; 32];
    if digits.len() != 64 || !digits.is_ascii() {
        return None;
    }
    for (at, byte) in digest.iter_mut().enumerate() {
        *byte = u8::from_str_radix(digits.get(2 * at..2 * at + 2)?, 16).ok()?;
    }
    Some((hash, Some(Known { stamp, digest })))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_was_copied_is_read_back_but_for_a_line_that_was_cut() {
        let folder = tempfile::tempdir().unwrap();
        let layout = Layout::new(folder.path().to_owned());
        fs::create_dir(layout.vaults()).unwrap();
        let (ada, bob, cut) = ("a".repeat(64), "b".repeat(64), "c".repeat(64));
        let known = Known { stamp: "1f-7-0".to_owned(), digest: [0xab; 32] };
        let copied = Copied::new(&layout);
        for hash in [&ada, &bob] {
            copied.know(hash, Some(&known)).await.unwrap();
        }
        copied.know(&bob, None).await.unwrap();
        let mut file = File::options().append(true).open(layout.copied()).unwrap();
        write!(file, "{cut} {} 1", hex(&[1; 32])).unwrap();
        let again = Copied::new(&layout);
        again.load().await.unwrap();
        let ada_alone = (Some(known.clone()), None, None);
        assert_eq!((again.of(&ada).await, again.of(&bob).await, again.of(&cut).await), ada_alone);
        // Users copied after the truncation are logged, too.
        again.know(&bob, Some(&known)).await.unwrap();
        let third = Copied::new(&layout);
        third.load().await.unwrap();
        assert_eq!((third.of(&ada).await, third.of(&bob).await), (Some(known.clone()), Some(known)));
        assert_eq!(third.of(&cut).await, None);
    }

    #[tokio::test]
    async fn a_log_that_is_half_a_line_is_empty() {
        let folder = tempfile::tempdir().unwrap();
        let layout = Layout::new(folder.path().to_owned());
        fs::create_dir(layout.vaults()).unwrap();
        fs::write(layout.copied(), [b'a', 0xff]).unwrap();
        Copied::new(&layout).load().await.unwrap();
        assert_eq!(fs::read(layout.copied()).unwrap(), b"");
    }

    #[tokio::test]
    async fn a_folder_that_was_left_or_is_half_filled_is_refused_with_what_to_do() {
        let folder = tempfile::tempdir().unwrap();
        let layout = Layout::new(folder.path().to_owned());
        refuse_moved(&layout).await.unwrap();
        let record =
            |state| MoveRecord { state, installation: "system:1".to_owned(), other: "postgres://db/k".to_owned() };
        write(&layout, &record(State::Filling)).await.unwrap();
        assert_eq!(read(&layout).await.unwrap(), Some(record(State::Filling)));
        let told = refuse_moved(&layout).await.unwrap_err().to_string();
        assert!(told.contains("is not complete") && told.contains("postgres://db/k"), "{told}");
        write(&layout, &record(State::Arrived)).await.unwrap();
        refuse_moved(&layout).await.unwrap();
        assert!(layout.restored().exists(), "what was under way is taken up");
        write(&layout, &record(State::Left)).await.unwrap();
        let told = refuse_moved(&layout).await.unwrap_err().to_string();
        assert!(told.contains("was moved to postgres://db/k") && told.contains("remove the file"), "{told}");
    }
}
