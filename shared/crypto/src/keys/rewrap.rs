//! Rewraps keys under the current key of a ring, one page of key files at a time.

use super::{Inner, Keys};
use crate::key_file::KeyFile;
use crate::{KeyError, KeyName, RingName, UserHash};

/// Attempts when another process changes the file concurrently.
const ATTEMPTS: usize = 8;

/// The outcome of one page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rewrapped {
    /// The cursor of the next page; `None` if this was the last one.
    pub last: Option<String>,
    /// Key files checked.
    pub checked: u64,
    /// Key files rewritten.
    pub rewrapped: u64,
    /// Key files that failed. They are unchanged and still need the ring keys that wrapped them.
    pub failed: Vec<(KeyName, KeyError)>,
}

impl Keys {
    /// Rewraps keys of the next `limit` users after `after` that are wrapped under another key than the current one
    /// of `ring`; the first page (`after` is `None`) includes `system.db` and `queue.db`. Idempotent, so it may be
    /// interrupted and repeated. Changes only wrapped keys, no database.
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
}

impl Inner {
    /// Returns whether the file was rewritten. A file that is gone needs nothing.
    fn rewrap(&self, name: &KeyName, ring: RingName) -> Result<bool, KeyError> {
        let _held = self.wrapping()?;
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
        Err(KeyError::Refused(format!("other processes keep changing {name}; the next pass retries")))
    }
}
