//! Damage of a vault: what was found, as far as it can be told. A vault that was found damaged is in quarantine: nobody reads
//! or writes it until it was put back or is found whole. What all users share cannot be put aside: it is named.

use std::fmt;

use crate::ids::UserId;
use crate::time::Timestamp;

/// The folder below the data folder that holds all vaults, and marks whose names begin with a dot.
pub const VAULTS: &str = "vaults";
/// A file below the data folder that is there from when the folder was made of a backup until its vaults were taken up again.
pub const RESTORED: &str = "vaults/.restored";

/// What is damaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Damage {
    /// The key file is missing, or not as it was written.
    KeyFile,
    /// The database, or all of its folder, is gone.
    Missing,
    /// The file is no database, or does not open with its key.
    NoDatabase,
    /// Pages of the database are not as they were written.
    Pages,
    /// The write-ahead log lacks something that was committed.
    Log,
    /// It is the vault of another user.
    Misplaced,
}

impl Damage {
    /// All kinds.
    pub const ALL: [Self; 6] =
        [Self::KeyFile, Self::Missing, Self::NoDatabase, Self::Pages, Self::Log, Self::Misplaced];

    /// As files, the audit and answers name it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::KeyFile => "key_file",
            Self::Missing => "missing",
            Self::NoDatabase => "no_database",
            Self::Pages => "pages",
            Self::Log => "log",
            Self::Misplaced => "misplaced",
        }
    }

    /// The kind of this name; of one that this build does not know, that nothing can be read.
    pub fn of(name: &str) -> Self {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name).unwrap_or(Self::NoDatabase)
    }

    /// What was found, as a sentence without its end.
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::KeyFile => "its key file is missing or damaged",
            Self::Missing => "its database is gone",
            Self::NoDatabase => "its file is no database, or does not open with its key",
            Self::Pages => "pages of its database are damaged",
            Self::Log => "its write-ahead log lacks something that was written",
            Self::Misplaced => "it is the vault of another user",
        }
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A database of the data folder that there is once for all users.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SharedFile {
    /// Users, credentials, the audit of the system.
    Registry,
    /// Jobs.
    Queue,
}

impl SharedFile {
    /// Its name in the data folder.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Registry => "system.db",
            Self::Queue => "queue.db",
        }
    }

    /// What to do when it is damaged, as a sentence without its end.
    pub const fn advice(self) -> &'static str {
        match self {
            Self::Registry => "stop Kimberly and put everything back from a backup, as docs/guides/back-up.md says",
            Self::Queue => {
                "stop Kimberly, remove queue.db, queue.db-wal and queue.db-shm, start it again; vaults make its jobs again"
            }
        }
    }
}

/// That it is damaged, and what to do.
impl fmt::Display for SharedFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is damaged: {}", self.name(), self.advice())
    }
}

/// A vault in quarantine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quarantined {
    /// Whose it is.
    pub user: UserId,
    /// What was found.
    pub damage: Damage,
    /// When.
    pub since: Timestamp,
}

/// How many vaults are in quarantine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// All of them.
    pub all: u64,
    /// Those that came after the time that was asked about.
    pub news: u64,
    /// When the last one came; that time if none is there.
    pub latest: Timestamp,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for kind in Damage::ALL {
            assert_eq!(Damage::of(&kind.to_string()), kind);
        }
        assert_eq!(Damage::of("something new"), Damage::NoDatabase);
    }
}
