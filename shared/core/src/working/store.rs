//! The keys of one keyspace, and operations on them.

use std::collections::{BTreeMap, BTreeSet};

use super::{WorkingEntry, WorkingLimits, WorkingOp, WorkingOps, WorkingOutcome};
use crate::bounds::MAX_WORKING_ENTRY_BYTES;
use crate::error::{Error, Result};
use crate::time::{Span, Timestamp};

/// The keys of one keyspace, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkingStore {
    entries: BTreeMap<String, WorkingEntry>,
    bytes: usize,
    /// Keys whose entries changed since the store was loaded.
    changed: BTreeSet<String>,
}

impl WorkingStore {
    /// Builds a store from loaded entries.
    pub fn of(entries: impl IntoIterator<Item = (String, WorkingEntry)>) -> Self {
        let entries: BTreeMap<_, _> = entries.into_iter().collect();
        let bytes = entries.iter().map(|(key, entry)| entry.bytes(key)).sum();
        Self { entries, bytes, changed: BTreeSet::new() }
    }

    /// Size of keys and values, in bytes.
    pub const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Reports whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// When any entry was last used.
    pub fn used_at(&self) -> Option<Timestamp> {
        self.entries.values().map(|entry| entry.used_at).max()
    }

    /// Changed keys, each with its current entry; `None` for removed ones.
    pub fn changes(&self) -> impl Iterator<Item = (&str, Option<&WorkingEntry>)> {
        self.changed.iter().map(|key| (key.as_str(), self.entries.get(key)))
    }

    /// Marks all changes as saved.
    pub fn clear_changes(&mut self) {
        self.changed.clear();
    }

    /// Removes expired entries.
    pub fn expire(&mut self, now: Timestamp) {
        let ended = |entry: &WorkingEntry| entry.expires_at <= now;
        let gone: Vec<String> =
            self.entries.iter().filter(|(_, entry)| ended(entry)).map(|(key, _)| key.clone()).collect();
        for key in gone {
            self.remove(&key);
        }
    }

    /// Runs operations in order: all of them, or none if one fails.
    ///
    /// # Errors
    ///
    /// [`Error::Conflict`] if the existing text does not allow an operation.
    pub fn run(&mut self, ops: &WorkingOps, limits: WorkingLimits, now: Timestamp) -> Result<Vec<WorkingOutcome>> {
        self.expire(now);
        // A single operation changes nothing if it fails.
        if let [only] = ops.as_slice() {
            return Ok(vec![self.apply(only, limits, now).map_err(|why| why.at(ops.path(0)))?]);
        }
        let mut next = self.clone();
        let outcomes = ops.as_slice().iter().enumerate();
        let outcomes = outcomes.map(|(index, op)| next.apply(op, limits, now).map_err(|why| why.at(ops.path(index))));
        let outcomes = outcomes.collect::<Result<_>>()?;
        *self = next;
        Ok(outcomes)
    }

    fn apply(&mut self, op: &WorkingOp, limits: WorkingLimits, now: Timestamp) -> Result<WorkingOutcome, Refused> {
        let found = op.key().is_some_and(|key| self.entries.contains_key(key));
        let outcome = WorkingOutcome { found, ..WorkingOutcome::default() };
        match op {
            WorkingOp::Keys { prefix, after, limit } => {
                let keys = self.entries.range(prefix.clone()..).map(|(key, _)| key);
                let keys = keys.take_while(|key| key.starts_with(prefix)).filter(|key| *key > after);
                Ok(WorkingOutcome { keys: keys.take(*limit).cloned().collect(), ..outcome })
            }
            WorkingOp::Get { key } => {
                let Some(entry) = self.touched(key, now) else { return Ok(outcome) };
                Ok(WorkingOutcome { value: entry.value.clone(), expires_at: Some(entry.expires_at), ..outcome })
            }
            WorkingOp::Delete { key } => {
                self.remove(key);
                Ok(outcome)
            }
            WorkingOp::Expire { key, lifetime } => {
                let Some(entry) = self.touched(key, now) else { return Ok(outcome) };
                entry.expires_at = now.plus(*lifetime);
                Ok(WorkingOutcome { expires_at: Some(entry.expires_at), ..outcome })
            }
            WorkingOp::Set { key, value, lifetime } => {
                let ends = now.plus(lifetime.unwrap_or(limits.lifetime));
                Ok(WorkingOutcome { value: None, ..self.put(key, value.clone(), ends, (limits, now), outcome) })
            }
            WorkingOp::Increment { key, by, lifetime } => {
                let number = self.text(key).map_or(Ok(0), str::parse::<i64>).map_err(|_| Refused::NoNumber)?;
                let number = number.checked_add(*by).ok_or(Refused::TooLarge)?;
                let ends = self.ends(key, *lifetime, limits, now);
                Ok(self.put(key, number.to_string(), ends, (limits, now), outcome))
            }
            WorkingOp::Append { key, value, lifetime } => {
                let text = format!("{}{value}", self.text(key).unwrap_or_default());
                if text.len() > MAX_WORKING_ENTRY_BYTES {
                    return Err(Refused::TooLong(text.len()));
                }
                let ends = self.ends(key, *lifetime, limits, now);
                Ok(self.put(key, text, ends, (limits, now), outcome))
            }
        }
    }

    fn text(&self, key: &str) -> Option<&str> {
        self.entries.get(key).and_then(|entry| entry.value.as_deref())
    }

    /// When an entry expires after a change in place.
    fn ends(&self, key: &str, lifetime: Option<Span>, limits: WorkingLimits, now: Timestamp) -> Timestamp {
        match (lifetime, self.entries.get(key)) {
            (None, Some(entry)) => entry.expires_at,
            (lifetime, _) => now.plus(lifetime.unwrap_or(limits.lifetime)),
        }
    }

    fn touched(&mut self, key: &str, now: Timestamp) -> Option<&mut WorkingEntry> {
        let entry = self.entries.get_mut(key)?;
        entry.used_at = now;
        self.changed.insert(key.to_owned());
        Some(entry)
    }

    /// Writes a text after making room for it.
    fn put(
        &mut self,
        key: &str,
        value: String,
        expires_at: Timestamp,
        (limits, now): (WorkingLimits, Timestamp),
        outcome: WorkingOutcome,
    ) -> WorkingOutcome {
        self.remove(key);
        let (value_bytes, answered) = (value.len(), value.clone());
        let entry = WorkingEntry { value: Some(value), value_bytes, expires_at, used_at: now };
        let evicted = self.make_room(limits.store_bytes.saturating_sub(entry.bytes(key)));
        self.bytes += entry.bytes(key);
        self.entries.insert(key.to_owned(), entry);
        self.changed.insert(key.to_owned());
        WorkingOutcome { value: Some(answered), expires_at: Some(expires_at), evicted, ..outcome }
    }

    /// Evicts the least recently used entries until at most `bytes` are left; returns how many.
    fn make_room(&mut self, bytes: usize) -> usize {
        let mut evicted = 0;
        while self.bytes > bytes {
            let oldest =
                self.entries.iter().min_by_key(|(key, entry)| (entry.used_at, *key)).map(|(key, _)| key.clone());
            let Some(key) = oldest else { break };
            self.remove(&key);
            evicted += 1;
        }
        evicted
    }

    fn remove(&mut self, key: &str) {
        if let Some(entry) = self.entries.remove(key) {
            self.bytes -= entry.bytes(key);
            self.changed.insert(key.to_owned());
        }
    }
}

/// Why an operation failed.
enum Refused {
    NoNumber,
    TooLarge,
    TooLong(usize),
}

impl Refused {
    fn at(self, path: String) -> Error {
        let problem = match self {
            Self::NoNumber => {
                "holds a text that is no whole number; set it to one first, or use another key".to_owned()
            }
            Self::TooLarge => "would leave the range of 64-bit whole numbers; set it to a smaller one first".to_owned(),
            Self::TooLong(bytes) => {
                format!("would hold {bytes} bytes; at most {MAX_WORKING_ENTRY_BYTES} are allowed: begin another key")
            }
        };
        Error::conflict(path + "key", problem)
    }
}

#[cfg(test)]
mod tests;
