//! Counts which ring keys the key files of a data folder need. Key files name them, so no ring is read.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::key_file::KeyFile;
use crate::{FileKeyStore, KeyError, KeyId, KeyName, KeyStore, RingName};

/// Key files listed per page.
const PAGE: usize = 1000;
/// Unreadable files to name.
const NAMED: usize = 10;

/// How many key files need which ring key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Survey {
    /// Key files that were read.
    pub files: u64,
    /// Key files that cannot be read, so that the keys they need are unknown.
    pub unreadable: u64,
    /// The first ten of them and what is wrong with each.
    pub problems: Vec<String>,
    needed: BTreeMap<(RingName, KeyId), u64>,
}

/// Surveys all key files of a data folder.
pub fn survey(data_dir: &Path) -> Result<Survey, KeyError> {
    Survey::of(&FileKeyStore::new(data_dir.join("keys")))
}

impl Survey {
    /// How many key files need this ring key.
    pub fn needing(&self, ring: RingName, key: &KeyId) -> u64 {
        self.needed.get(&(ring, key.clone())).copied().unwrap_or_default()
    }

    /// The needed keys of a ring, each with its number of key files.
    pub fn needed(&self, ring: RingName) -> impl Iterator<Item = (&KeyId, u64)> {
        self.needed.iter().filter(move |((of, _), _)| *of == ring).map(|((_, key), count)| (key, *count))
    }

    /// How many key files need another key of the ring than this one.
    pub fn left(&self, ring: RingName, current: &KeyId) -> u64 {
        self.needed(ring).filter(|(key, _)| *key != current).map(|(_, count)| count).sum()
    }

    pub(crate) fn of(store: &(impl KeyStore + ?Sized)) -> Result<Self, KeyError> {
        let mut survey = Self::default();
        survey.count(store, &KeyName::System);
        survey.count(store, &KeyName::Queue);
        let mut after = None;
        loop {
            let users = store.list(after.as_ref(), PAGE)?;
            let Some(last) = users.last().cloned() else { return Ok(survey) };
            for hash in users {
                survey.count(store, &KeyName::User(hash));
            }
            after = Some(last);
        }
    }

    fn count(&mut self, store: &(impl KeyStore + ?Sized), name: &KeyName) {
        let file = store.read(name).and_then(|found| found.map(|bytes| KeyFile::parse(name, &bytes)).transpose());
        match file {
            Ok(Some(file)) => {
                self.files += 1;
                let needed: BTreeSet<_> = file.keys().map(|(purpose, key)| (purpose.ring(), key.by.clone())).collect();
                for key in needed {
                    *self.needed.entry(key).or_insert(0) += 1;
                }
            }
            // The file was destroyed after it was listed.
            Ok(None) => {}
            Err(error) => {
                self.unreadable += 1;
                if self.problems.len() < NAMED {
                    self.problems.push(error.to_string());
                }
            }
        }
    }
}
