//! Downloads one file of a model in ranges, resuming after interruptions, and keeps it only if its checksum matches.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write as _};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

use kimberly_crypto::folder_of;
use sha1::{Digest, Sha1};
use sha2::Sha256;

use super::hub::{Checksum, Hub, RemoteFile};
use crate::error::{CliError, CliResult};
use crate::progress;

/// Maximum consecutive attempts without progress.
const ATTEMPTS: u32 = 5;
/// Bytes read at a time.
const BLOCK: usize = 1 << 16;
/// Maximum time without any data.
const PATIENCE: Duration = Duration::from_secs(30);

/// Downloads a file into `folder` unless it is there. After a failure, the partial file stays and is resumed.
pub(super) fn fetch(hub: &Hub, commit: &str, file: &RemoteFile, folder: &Path) -> CliResult {
    let whole = folder.join(&file.name);
    if whole.is_file() && is_right(&whole, file)? {
        return Ok(());
    }
    fs::create_dir_all(folder_of(&whole))?;
    let part = folder.join(format!("{}.part", file.name));
    let bar = progress::bytes(file.size, &file.name);
    let mut failed = 0;
    loop {
        let had = length(&part);
        match append(hub, commit, file, &part, had, &bar) {
            Ok(()) if length(&part) == file.size => break,
            Err(error) if !error.retryable => return Err(error),
            ended => {
                failed = if length(&part) > had { 1 } else { failed + 1 };
                if failed == ATTEMPTS {
                    return Err(ended.err().unwrap_or_else(|| CliError::failed(cut(file))));
                }
                std::thread::sleep(Duration::from_millis(200) * 2u32.pow(failed));
            }
        }
    }
    bar.finish_and_clear();
    if !is_right(&part, file)? {
        fs::remove_file(&part)?;
        return Err(CliError::failed(format!(
            "{} does not have the checksum that the hub names; it was removed, run the command again",
            file.name
        )));
    }
    Ok(fs::rename(part, whole)?)
}

/// Appends the missing bytes, as far as they arrive.
fn append(
    hub: &Hub,
    commit: &str,
    file: &RemoteFile,
    part: &Path,
    had: u64,
    bar: &indicatif::ProgressBar,
) -> CliResult {
    if had >= file.size && file.size > 0 {
        // A longer file is wrong and is removed; one of the right length is verified by its checksum.
        return if had == file.size { Ok(()) } else { Ok(fs::remove_file(part)?) };
    }
    let (goes_on, answer) = hub.open(commit, &file.name, had)?;
    let had = if goes_on { had } else { 0 };
    let mut out = OpenOptions::new().create(true).append(goes_on).write(true).truncate(!goes_on).open(part)?;
    bar.set_position(had);
    // Bytes beyond the announced size are not part of the file and must not fill the disk.
    let body = answer.into_body().into_reader().take(file.size - had);
    for block in blocks(body, PATIENCE) {
        match block {
            Ok(block) => {
                out.write_all(&block)?;
                bar.inc(u64::try_from(block.len()).unwrap_or(0));
            }
            Err(error) => {
                out.sync_all()?;
                return Err(CliError::failed(format!("{}: {error}", cut(file))).that_may_pass());
            }
        }
    }
    Ok(out.sync_all()?)
}

/// The blocks of a body. Waiting longer than `patience` for a block is an error and ends the iteration.
///
/// The HTTP client limits the time of a whole body but not of one read, and no limit for the whole fits every network.
/// So a separate thread reads, and is abandoned when nothing arrives.
fn blocks(mut body: impl Read + Send + 'static, patience: Duration) -> impl Iterator<Item = io::Result<Vec<u8>>> {
    let (sender, receiver) = sync_channel(4);
    std::thread::spawn(move || {
        loop {
            let mut block = vec![0; BLOCK];
            let read = body.read(&mut block);
            let last = !matches!(read, Ok(1..));
            let block = read.map(|count| {
                block.truncate(count);
                block
            });
            if sender.send(block).is_err() || last {
                return;
            }
        }
    });
    let mut ended = false;
    std::iter::from_fn(move || {
        if ended {
            return None;
        }
        let block = next(&receiver, patience);
        ended = !matches!(block, Some(Ok(_)));
        block
    })
}

fn next(blocks: &Receiver<io::Result<Vec<u8>>>, patience: Duration) -> Option<io::Result<Vec<u8>>> {
    match blocks.recv_timeout(patience) {
        Ok(Ok(block)) if block.is_empty() => None,
        Ok(block) => Some(block),
        Err(RecvTimeoutError::Timeout) => {
            let waited = format!("no data arrived for {} seconds", patience.as_secs());
            Some(Err(io::Error::new(io::ErrorKind::TimedOut, waited)))
        }
        // The sender is dropped only after it sent the end.
        Err(RecvTimeoutError::Disconnected) => None,
    }
}

fn cut(file: &RemoteFile) -> String {
    format!("{} was interrupted; run the command again to resume", file.name)
}

fn length(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |found| found.len())
}

/// Whether a file has the expected content.
fn is_right(path: &Path, file: &RemoteFile) -> CliResult<bool> {
    if length(path) != file.size {
        return Ok(false);
    }
    Ok(match &file.checksum {
        Checksum::Sha256(expected) => hash(path, Sha256::new(), b"")? == *expected,
        Checksum::Git(expected) => hash(path, Sha1::new(), format!("blob {}\0", file.size).as_bytes())? == *expected,
    })
}

/// The hash of `before` followed by a file, in hexadecimal.
fn hash<D: Digest>(path: &Path, mut hash: D, before: &[u8]) -> CliResult<String> {
    hash.update(before);
    let mut file = File::open(path)?;
    let mut block = vec![0; BLOCK];
    loop {
        match file.read(&mut block)? {
            0 => return Ok(hexadecimal(&hash.finalize())),
            count => hash.update(&block[..count]),
        }
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    let digit = |nibble: u8| char::from_digit(u32::from(nibble), 16).unwrap_or('0');
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reader that returns its data and then blocks.
    struct Stalls(&'static [u8]);

    impl Read for Stalls {
        fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
            if self.0.is_empty() {
                std::thread::park();
            }
            self.0.read(to)
        }
    }

    #[test]
    fn a_stalled_download_times_out_and_retains_what_arrived() {
        let found: Vec<_> = blocks(Stalls(b"came"), Duration::from_millis(20)).collect();
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].as_ref().unwrap(), b"came");
        assert_eq!(found[1].as_ref().unwrap_err().kind(), io::ErrorKind::TimedOut);
    }

    #[test]
    fn a_body_comes_whole_and_ends() {
        let whole = vec![7; 3 * BLOCK + 5];
        let found: Vec<u8> =
            blocks(io::Cursor::new(whole.clone()), Duration::from_secs(30)).flat_map(Result::unwrap).collect();
        assert_eq!(found, whole);
    }
}
