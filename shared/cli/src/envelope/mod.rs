//! Archives encrypted with age: recipients for `export`, identities for `import` and `audit verify`.
//!
//! Secret keys and passphrases come from files that only this account can read, passphrases also from the terminal.
//! They never come from arguments or the environment, which other programs can read.

mod closing;
mod opening;
mod passphrase;

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

pub(crate) use closing::ClosingArgs;
use kimberly_archive::envelope::EnvelopeError;
use kimberly_crypto::read_private;
pub(crate) use opening::OpeningArgs;
use zeroize::Zeroizing;

use crate::error::{CliError, CliResult};

/// Maximum size of a file with a passphrase or identities, in bytes; the limit of the reader of private files.
const MAX_PRIVATE_BYTES: usize = 4096;
/// Maximum size of a file of recipients, in bytes.
const MAX_RECIPIENTS_BYTES: u64 = 64 << 10;

impl From<EnvelopeError> for CliError {
    fn from(error: EnvelopeError) -> Self {
        match error {
            EnvelopeError::Io(error) => error.into(),
            other => Self::failed(other.to_string()),
        }
    }
}

/// The text of a file that only this account can read.
fn private(file: &Path) -> CliResult<Zeroizing<String>> {
    let bytes = read_private(file).map_err(|error| CliError::usage(error.to_string()))?;
    let refused = |problem: &str| CliError::usage(format!("{}: {problem}", file.display()));
    let bytes = bytes.ok_or_else(|| refused("there is no such file"))?;
    if bytes.len() > MAX_PRIVATE_BYTES {
        return Err(refused(&format!("it has more than {MAX_PRIVATE_BYTES} bytes")));
    }
    let text = std::str::from_utf8(&bytes).map_err(|_| refused("it is not UTF-8 text"))?;
    Ok(Zeroizing::new(text.to_owned()))
}

/// The text of a file that anyone may read.
fn public(file: &Path) -> CliResult<String> {
    let refused = |problem: &str| CliError::usage(format!("{}: {problem}", file.display()));
    let opened = File::open(file).map_err(|error| refused(&format!("it cannot be read ({error})")))?;
    let mut bytes = Vec::new();
    opened.take(MAX_RECIPIENTS_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_RECIPIENTS_BYTES {
        return Err(refused(&format!("it has more than {MAX_RECIPIENTS_BYTES} bytes")));
    }
    String::from_utf8(bytes).map_err(|_| refused("it is not UTF-8 text"))
}

#[cfg(test)]
mod tests;
