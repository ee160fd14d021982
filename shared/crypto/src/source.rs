//! Sources of rings: a file, an environment variable, a systemd credential, or a command.
//!
//! The configuration names a source and never holds a key, so it may be shown.

mod change;
mod command;
mod copies;
mod environment;
mod file;
mod locations;
mod ring_location;

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

pub use change::{Added, Removed};
pub use environment::Environment;
pub(crate) use file::read as read_private;
pub(crate) use locations::{Location, Locations};
pub use ring_location::{RingLocation, wrapping_key};

use crate::KeyError;

/// One source of a ring, as `[keys] master` and `sensitive` configure it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeySource {
    /// `file:<path>`; `~/` is the home of the account. Created on the first start if missing.
    File(PathBuf),
    /// `env:<NAME>`.
    Variable(String),
    /// `credential:<name>`: a file in the folder that systemd names in `CREDENTIALS_DIRECTORY`.
    Credential(String),
    /// `command:<program>`: run without a shell, with `master` or `sensitive` as its only argument; prints the ring.
    Command(PathBuf),
}

impl FromStr for KeySource {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        let refused = |problem: &str| {
            KeyError::Source(format!(
                "a source of keys is file:<path>, env:<NAME>, credential:<name> or command:<absolute path>; {problem}"
            ))
        };
        let (kind, rest) = text.split_once(':').ok_or_else(|| refused("this one has no colon"))?;
        if rest.is_empty() || rest.contains(|c: char| c.is_control()) || rest.len() > 4096 {
            return Err(refused("what follows the colon is empty, too long or has control characters"));
        }
        match kind {
            "file" => Ok(Self::File(PathBuf::from(rest))),
            "env" if is_variable(rest) => Ok(Self::Variable(rest.to_owned())),
            "env" => Err(refused("a variable has a name of ASCII letters, digits and _")),
            "credential" if is_credential(rest) => Ok(Self::Credential(rest.to_owned())),
            "credential" => Err(refused("a credential has a plain name without /, of at most 255 bytes")),
            "command" if rest.starts_with('/') => Ok(Self::Command(PathBuf::from(rest))),
            "command" => Err(refused("a command is named by its absolute path, without arguments")),
            _ => Err(refused("this one has none of these forms")),
        }
    }
}

impl fmt::Display for KeySource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => write!(f, "file:{}", path.display()),
            Self::Variable(name) => write!(f, "env:{name}"),
            Self::Credential(name) => write!(f, "credential:{name}"),
            Self::Command(program) => write!(f, "command:{}", program.display()),
        }
    }
}

fn is_variable(name: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_';
    name.chars().all(allowed) && !name.starts_with(|c: char| c.is_ascii_digit())
}

fn is_credential(name: &str) -> bool {
    !name.contains('/') && name != "." && name != ".." && name.len() <= 255
}

/// The section `[keys]`.
#[derive(Clone, Debug, Default)]
pub struct KeySources {
    /// The folder of rings stored as files; default `~/.kimberly/keys/<id of the data folder>`.
    pub folder: Option<PathBuf>,
    /// The master ring; default `master.key` in the folder.
    pub master: Option<KeySource>,
    /// The sensitive ring; default `sensitive.key` in the folder.
    pub sensitive: Option<KeySource>,
    /// Environment variables, which also name the home of the account.
    pub environment: Environment,
}

#[cfg(test)]
mod tests;
