//! Passphrases: from a file, or typed on the terminal without echo.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read as _, Write as _};
use std::path::Path;

use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr};
use zeroize::Zeroizing;

use super::private;
use crate::error::{CliError, CliResult};

/// Maximum line length of a terminal, in bytes.
const MAX_BYTES: usize = 4096;
/// The byte that Ctrl-C sends.
const INTERRUPT: u8 = 3;

/// Reads the passphrase from a file of one line.
pub(super) fn of_file(file: &Path) -> CliResult<Zeroizing<String>> {
    let text = private(file)?;
    let line = text.strip_suffix('\n').unwrap_or(&text);
    let line = line.strip_suffix('\r').unwrap_or(line);
    checked(line).map_err(|problem| CliError::usage(format!("{}: {problem}", file.display())))
}

/// Prompts for a new passphrase twice; `None` without a terminal.
pub(super) fn ask_twice() -> CliResult<Option<Zeroizing<String>>> {
    let Some(first) = ask("New passphrase for the archive: ")? else { return Ok(None) };
    let second = ask("The same again: ")?;
    if second.as_ref() != Some(&first) {
        return Err(CliError::usage("the two passphrases differ; nothing was exported"));
    }
    Ok(Some(first))
}

/// Prompts for a passphrase; `None` without a terminal.
pub(super) fn ask(prompt: &str) -> CliResult<Option<Zeroizing<String>>> {
    match OpenOptions::new().read(true).write(true).open("/dev/tty") {
        Ok(terminal) => ask_on(terminal, prompt).map(Some),
        Err(_) => Ok(None),
    }
}

fn ask_on(terminal: File, prompt: &str) -> CliResult<Zeroizing<String>> {
    let mut silent = Silent::begin(terminal)?;
    silent.terminal.write_all(prompt.as_bytes())?;
    let mut line = Zeroizing::new(vec![0; MAX_BYTES]);
    // A terminal returns one line at a time.
    let read = loop {
        match silent.terminal.read(&mut line) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            read => break read?,
        }
    };
    silent.terminal.write_all(b"\n")?;
    let line = &line[..read];
    if line.ends_with(&[INTERRUPT]) {
        return Err(CliError::failed("interrupted"));
    }
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let text = std::str::from_utf8(line).map_err(|_| CliError::usage("the passphrase is not UTF-8 text"))?;
    checked(text).map_err(CliError::usage)
}

fn checked(passphrase: &str) -> Result<Zeroizing<String>, String> {
    if passphrase.is_empty() {
        return Err("there is no passphrase".to_owned());
    }
    if passphrase.contains(char::is_control) {
        return Err("a passphrase is one line without control characters".to_owned());
    }
    Ok(Zeroizing::new(passphrase.to_owned()))
}

/// A terminal without echo until this is dropped. Ctrl-C ends the line instead of the process, so that the terminal is
/// always restored.
struct Silent {
    terminal: File,
    before: Termios,
}

impl Silent {
    fn begin(terminal: File) -> CliResult<Self> {
        let failed = |error: rustix::io::Errno| CliError::from(std::io::Error::from(error));
        let before = tcgetattr(&terminal).map_err(failed)?;
        let mut silent = before.clone();
        silent.local_modes.remove(LocalModes::ECHO | LocalModes::ECHONL | LocalModes::ISIG);
        silent.local_modes.insert(LocalModes::ICANON);
        silent.special_codes[SpecialCodeIndex::VEOL] = INTERRUPT;
        tcsetattr(&terminal, OptionalActions::Flush, &silent).map_err(failed)?;
        Ok(Self { terminal, before })
    }
}

impl Drop for Silent {
    fn drop(&mut self) {
        let _ = tcsetattr(&self.terminal, OptionalActions::Now, &self.before);
    }
}
