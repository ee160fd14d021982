//! Identities and passphrases that open an encrypted archive.

use std::io::Read;
use std::path::PathBuf;

use kimberly_archive::envelope::{Envelope, Identities, Opened};

use super::{passphrase, private};
use crate::error::{CliError, CliResult};

#[derive(clap::Args, Default)]
pub(crate) struct OpeningArgs {
    /// A file that only you can read, with a secret key of age that opens the archive; may be given several times
    #[arg(long, value_name = "FILE")]
    pub(super) age_identity: Vec<PathBuf>,
    /// A file that only you can read, with the archive's passphrase [default: asked for on the terminal]
    #[arg(long, value_name = "FILE")]
    pub(super) age_passphrase_file: Option<PathBuf>,
}

impl OpeningArgs {
    /// Whether any identity or passphrase is given.
    pub(crate) fn is_given(&self) -> bool {
        !self.age_identity.is_empty() || self.age_passphrase_file.is_some()
    }

    /// Refuses an unencrypted file if options for an encrypted one are given.
    pub(crate) fn refuse_plain(&self, name: &str) -> CliResult {
        if !self.is_given() {
            return Ok(());
        }
        Err(CliError::usage(format!(
            "{name} is not encrypted with age: if that is the right file, omit --age-identity and --age-passphrase-file"
        )))
    }

    /// Opens an encrypted file.
    pub(crate) fn open<R: Read>(&self, name: &str, input: R) -> CliResult<Opened<R>> {
        let opened = || {
            let envelope = Envelope::read(input)?;
            let identities = if envelope.is_under_passphrase() { self.passphrase() } else { self.identities() }?;
            Ok(envelope.open(&identities)?)
        };
        opened().map_err(|error: CliError| error.during(name))
    }

    fn passphrase(&self) -> CliResult<Identities> {
        if let Some(file) = &self.age_passphrase_file {
            return Ok(Identities::passphrase(&passphrase::of_file(file)?));
        }
        if !self.age_identity.is_empty() {
            return Err(CliError::usage(
                "it is encrypted with age under a passphrase, which no identity opens: omit --age-identity to be \
                 asked for it, or name a file with it in --age-passphrase-file",
            ));
        }
        let told = passphrase::ask("Passphrase of the archive: ")?.ok_or_else(|| {
            CliError::usage(
                "it is encrypted with age under a passphrase, and there is no terminal to ask for it: name a file \
                 with it in --age-passphrase-file",
            )
        })?;
        Ok(Identities::passphrase(&told))
    }

    fn identities(&self) -> CliResult<Identities> {
        if self.age_identity.is_empty() {
            let instead = if self.age_passphrase_file.is_some() { ", not under a passphrase" } else { "" };
            return Err(CliError::usage(format!(
                "it is encrypted with age for recipients{instead}: name the file of a secret key that opens it with \
                 --age-identity"
            )));
        }
        let mut identities = Identities::default();
        for file in &self.age_identity {
            let added = identities.add(&private(file)?);
            added.map_err(|error| CliError::usage(format!("{}: {error}", file.display())))?;
        }
        Ok(identities)
    }
}
