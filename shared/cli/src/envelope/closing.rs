//! The recipients of an encrypted archive.

use std::path::{Path, PathBuf};

use kimberly_archive::envelope::Recipients;

use super::{passphrase, public};
use crate::error::{CliError, CliResult};

#[derive(clap::Args, Default)]
#[expect(clippy::struct_field_names, reason = "the names of the options")]
pub(crate) struct ClosingArgs {
    /// Encrypt the archive with age for this public key (age1...); may be given several times
    #[arg(long, value_name = "KEY", requires = "archive")]
    pub(super) age_recipient: Vec<String>,
    /// Encrypt the archive with age for the public keys in a file, one a line
    #[arg(long, value_name = "FILE", requires = "archive")]
    pub(super) age_recipients_file: Vec<PathBuf>,
    /// Encrypt the archive with age under a passphrase, which is asked for on the terminal
    #[arg(long, requires = "archive", conflicts_with_all = ["age_recipient", "age_recipients_file"])]
    pub(super) age_passphrase: bool,
    /// Encrypt the archive with age under the passphrase in a file that only you can read
    #[arg(long, value_name = "FILE", requires = "archive")]
    #[arg(conflicts_with_all = ["age_recipient", "age_recipients_file", "age_passphrase"])]
    pub(super) age_passphrase_file: Option<PathBuf>,
}

impl ClosingArgs {
    /// Whether encryption is requested.
    pub(crate) fn is_asked(&self) -> bool {
        let Self { age_recipient, age_recipients_file, age_passphrase, age_passphrase_file } = self;
        !age_recipient.is_empty() || !age_recipients_file.is_empty() || *age_passphrase || age_passphrase_file.is_some()
    }

    /// The archive's recipients; `None` if it is not encrypted.
    pub(crate) fn recipients(&self) -> CliResult<Option<Recipients>> {
        if !self.is_asked() {
            return Ok(None);
        }
        if let Some(file) = &self.age_passphrase_file {
            return Ok(Some(Recipients::passphrase(&passphrase::of_file(file)?)));
        }
        if self.age_passphrase {
            let told = passphrase::ask_twice()?.ok_or_else(|| {
                CliError::usage(
                    "there is no terminal to ask for the passphrase; name a file with it in --age-passphrase-file",
                )
            })?;
            return Ok(Some(Recipients::passphrase(&told)));
        }
        let mut recipients = Recipients::default();
        for (number, key) in (1..).zip(&self.age_recipient) {
            // Errors do not repeat the key, which may be a secret key by mistake.
            let add = recipients.add(key.trim());
            add.map_err(|error| CliError::usage(format!("--age-recipient {number}: {error}")))?;
        }
        for file in &self.age_recipients_file {
            add_all(&mut recipients, file)?;
        }
        Ok(Some(recipients))
    }
}

/// Adds the keys of a file; skips empty lines and lines that start with `#`.
fn add_all(recipients: &mut Recipients, file: &Path) -> CliResult {
    let name = file.display();
    let mut any = false;
    for (number, line) in (1..).zip(public(file)?.lines()) {
        let key = line.trim();
        if key.is_empty() || key.starts_with('#') {
            continue;
        }
        recipients.add(key).map_err(|error| CliError::usage(format!("line {number} of {name}: {error}")))?;
        any = true;
    }
    if any { Ok(()) } else { Err(CliError::usage(format!("{name} names no recipient"))) }
}
