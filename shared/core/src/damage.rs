//! Damage of a vault: what was found. A damaged vault is in quarantine: it is neither read nor written until it is
//! restored or found intact. Files that all users share cannot be quarantined: the error names them instead.

use std::fmt;

use crate::ids::UserId;
use crate::time::Timestamp;

/// The folder in the data folder that holds all vaults. It also holds marker files, whose names begin with a dot.
pub const VAULTS: &str = "vaults";
/// A marker file in the data folder. It exists from the restore of a backup until the restored vaults are in use again.
pub const RESTORED: &str = "vaults/.restored";

/// A kind of damage to a vault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Damage {
    /// The key file is missing or was changed.
    KeyFile,
    /// The database or its whole folder is gone.
    Missing,
    /// The file is no database, or does not open with its key.
    NoDatabase,
    /// Pages of the database were changed or damaged.
    Pages,
    /// The write-ahead log lacks a committed change.
    Log,
    /// The file is the vault of another user.
    Misplaced,
}

impl Damage {
    /// All kinds of damage.
    pub const ALL: [Self; 6] =
        [Self::KeyFile, Self::Missing, Self::NoDatabase, Self::Pages, Self::Log, Self::Misplaced];

    /// The name in files, the audit and answers.
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

    /// Returns the kind with this name; [`Damage::NoDatabase`] for names that this build does not know.
    pub fn of(name: &str) -> Self {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name).unwrap_or(Self::NoDatabase)
    }

    /// Describes the damage as a sentence without its full stop.
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::KeyFile => "its key file is missing or damaged",
            Self::Missing => "its database is gone",
            Self::NoDatabase => "its file is not a database, or does not open with its key",
            Self::Pages => "pages of its database are damaged",
            Self::Log => "its write-ahead log lacks committed data",
            Self::Misplaced => "it is the vault of another user",
        }
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A database in the data folder that all users share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SharedFile {
    /// Users, credentials and the system's audit.
    Registry,
    /// The same, intact, but without the users of some vaults, as after it was restored from an older backup.
    OutdatedRegistry,
    /// The job queue.
    Queue,
}

impl SharedFile {
    /// The file's name in the data folder.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Registry | Self::OutdatedRegistry => "system.db",
            Self::Queue => "queue.db",
        }
    }

    /// Returns what to do when the file is damaged, as a sentence without its full stop.
    pub const fn advice(self) -> &'static str {
        match self {
            Self::Registry => "stop Kimberly and restore everything from a backup (docs/guides/back-up.md)",
            Self::OutdatedRegistry => {
                "it does not know the users of all vaults, as after an older copy was put back: stop Kimberly and run \
                 `kimberly vaults register`"
            }
            Self::Queue => {
                "stop Kimberly, remove queue.db, queue.db-wal and queue.db-shm, start it again; its jobs are \
                 recreated from the vaults"
            }
        }
    }
}

/// Says that the file is damaged, and what to do.
impl fmt::Display for SharedFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is damaged: {}", self.name(), self.advice())
    }
}

/// A vault in quarantine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quarantined {
    /// The user whose vault this is.
    pub user: UserId,
    /// The kind of damage found.
    pub damage: Damage,
    /// When the vault was quarantined.
    pub since: Timestamp,
}

/// A count of the vaults in quarantine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// All vaults in quarantine.
    pub all: u64,
    /// Vaults quarantined after the time given.
    pub news: u64,
    /// When the latest was quarantined; the time given if there is none.
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
