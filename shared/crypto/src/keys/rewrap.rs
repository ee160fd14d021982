//! Wrapping keys anew under the current key of a ring, a page of key files at a time, and counting who needs which key.

use std::collections::{BTreeMap, BTreeSet};

use super::{Inner, Keys};
use crate::key_file::KeyFile;
use crate::{KeyError, KeyId, KeyName, RingName, UserHash};

/// How often a file that somebody else changes at the same time is tried.
const ATTEMPTS: usize = 8;
/// Key files listed at once.
const PAGE: usize = 1000;

/// What one page did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rewrapped {
    /// Where the next page begins; `None` when this was the last one.
    pub last: Option<String>,
    /// Key files that were looked at.
    pub checked: u64,
    /// Key files that were written anew.
    pub rewrapped: u64,
    /// Key files that could not be: they stay as they are, and the keys that they need with them.
    pub failed: Vec<(KeyName, KeyError)>,
}

impl Keys {
    /// Wraps the keys of the next `limit` users after `after` under the current key of `ring`, where they are wrapped
    /// under another one; the first page (`after` is `None`) those of `system.db` and `queue.db` too. What was done
    /// already is left alone, so that it may be cut anywhere and begun again. Only wrapped keys change: no database is
    /// touched.
    pub fn rewrap_some(&self, after: Option<&str>, limit: usize, ring: RingName) -> Result<Rewrapped, KeyError> {
        let inner = self.inner()?;
        let bad = || KeyError::Refused("a page begins after 64 lower-case hexadecimal digits".to_owned());
        let after = after.map(|after| UserHash::parse(after).ok_or_else(bad)).transpose()?;
        inner.rings.current(ring)?;
        let users = inner.store.list(after.as_ref(), limit.max(1))?;
        let last = users.last().filter(|_| users.len() >= limit.max(1)).map(|hash| hash.as_str().to_owned());
        let databases = if after.is_none() { vec![KeyName::System, KeyName::Queue] } else { Vec::new() };
        let mut done = Rewrapped { last, checked: 0, rewrapped: 0, failed: Vec::new() };
        for name in databases.into_iter().chain(users.into_iter().map(KeyName::User)) {
            done.checked += 1;
            match inner.rewrap(&name, ring) {
                Ok(changed) => done.rewrapped += u64::from(changed),
                Err(error) => done.failed.push((name, error)),
            }
        }
        Ok(done)
    }

    /// How many key files need each key of the rings. A key that is not named here opens nothing of this data folder
    /// any more; backups of `data/keys` may still need it. A file that cannot be read ends the count: nobody knows
    /// which key it needs.
    pub fn in_use(&self) -> Result<BTreeMap<KeyId, u64>, KeyError> {
        let inner = self.inner()?;
        let mut counts = BTreeMap::new();
        inner.count(&KeyName::System, &mut counts)?;
        inner.count(&KeyName::Queue, &mut counts)?;
        let mut after = None;
        loop {
            let users = inner.store.list(after.as_ref(), PAGE)?;
            let Some(last) = users.last().cloned() else { return Ok(counts) };
            for hash in users {
                inner.count(&KeyName::User(hash), &mut counts)?;
            }
            after = Some(last);
        }
    }
}

impl Inner {
    /// Whether the file had to be written anew. One that is gone needs nothing.
    fn rewrap(&self, name: &KeyName, ring: RingName) -> Result<bool, KeyError> {
        for _ in 0..ATTEMPTS {
            let Some(old) = self.store.read(name)? else { return Ok(false) };
            let mut file = KeyFile::parse(name, &old)?;
            let current = self.rings.current(ring)?;
            let mut changed = false;
            for (purpose, key) in file.keys_mut().filter(|(purpose, _)| purpose.ring() == ring) {
                if key.by != current {
                    let secret = self.rings.unwrap(&self.data_id, name, purpose, key)?;
                    *key = self.rings.wrap(&self.data_id, name, purpose, key.generation, &secret)?;
                    changed = true;
                }
            }
            if !changed {
                return Ok(false);
            }
            if self.store.replace(name, &old, &file.to_bytes()?)? {
                return Ok(true);
            }
        }
        Err(KeyError::Refused(format!("{name} is being changed by others all the time; it is left for the next pass")))
    }

    fn count(&self, name: &KeyName, counts: &mut BTreeMap<KeyId, u64>) -> Result<(), KeyError> {
        if let Some(file) = self.file(name)? {
            let needed: BTreeSet<&KeyId> = file.keys().map(|(_, key)| &key.by).collect();
            for id in needed {
                *counts.entry(id.clone()).or_insert(0) += 1;
            }
        }
        Ok(())
    }
}
