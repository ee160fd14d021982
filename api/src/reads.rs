//! Collects reads for the audit in memory; they are written together with touches. Calls of agents are recorded one by
//! one. Reads of others are counted, with one entry a minute for all calls of one rpc by one caller, so that a vault
//! does not grow when it is read.
//!
//! No read is omitted because there are many: when too many entries wait, calls wait until these are written. A killed
//! process loses the reads since the last write.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kimberly_core::access::Caller;
use kimberly_core::audit::{Actor, AuditEntry};
use kimberly_core::{Timestamp, UserId};
use tokio::sync::Notify;

/// Maximum number of entries that wait to be written.
const MAX_WAITING: usize = 10_000;
/// The prefix of every rpc's path, which names in the audit omit.
const PACKAGE: &str = "/kimberly.v1.";

/// Reads that wait to be written.
#[derive(Debug, Default)]
pub(crate) struct Reads {
    waiting: Mutex<Waiting>,
    /// Notified when there is room again.
    room: Notify,
    /// Notified when there is no room.
    full: Notify,
}

#[derive(Debug, Default)]
struct Waiting {
    users: HashMap<UserId, OfUser>,
    entries: usize,
}

#[derive(Debug, Default)]
struct OfUser {
    /// Number and last time of reads, by caller and rpc.
    counted: HashMap<(Arc<str>, &'static str), (u64, Timestamp)>,
    single: Vec<AuditEntry>,
}

/// One read of a vault.
pub(crate) struct Read<'a> {
    /// The caller.
    pub(crate) caller: &'a Caller,
    /// The path of the rpc.
    pub(crate) rpc: &'static str,
    /// When it happened.
    pub(crate) at: Timestamp,
    /// The id of the item that an agent reads, if it is a single one.
    pub(crate) subject: Option<&'a str>,
}

/// Returns the name of an rpc in the audit.
pub(crate) fn action(rpc: &'static str) -> &'static str {
    rpc.strip_prefix(PACKAGE).unwrap_or(rpc)
}

impl Reads {
    /// Records a read of a user's vault. Waits while there is no room.
    pub(crate) async fn note(&self, user: &UserId, read: Read<'_>) {
        loop {
            let room = self.room.notified();
            if self.lock().add(user, &read) {
                return;
            }
            self.full.notify_one();
            room.await;
        }
    }

    /// Completes when there is no room, so that the waiting entries should be written.
    pub(crate) async fn full(&self) {
        self.full.notified().await;
    }

    /// Takes the entries recorded one by one and, with `counted`, also the counted ones. Makes room for new ones.
    pub(crate) fn take(&self, counted: bool) -> HashMap<UserId, Vec<AuditEntry>> {
        let taken = if counted { std::mem::take(&mut *self.lock()).users } else { self.lock().take_single() };
        self.room.notify_waiters();
        taken.into_iter().map(|(user, of_user)| (user, of_user.entries())).collect()
    }

    /// Puts back entries that could not be written. Ignores the bound, since these reads were accepted.
    pub(crate) fn put_back(&self, user: UserId, entries: Vec<AuditEntry>) {
        let mut waiting = self.lock();
        waiting.entries += entries.len();
        waiting.users.entry(user).or_default().single.extend(entries);
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting {
    fn take_single(&mut self) -> HashMap<UserId, OfUser> {
        let mut taken = HashMap::new();
        for (user, of_user) in self.users.iter_mut().filter(|(_, of_user)| !of_user.single.is_empty()) {
            self.entries -= of_user.single.len();
            let single = std::mem::take(&mut of_user.single);
            taken.insert(user.clone(), OfUser { single, ..OfUser::default() });
        }
        self.users.retain(|_, of_user| !of_user.counted.is_empty());
        taken
    }

    /// Adds a read. Returns whether there was room.
    fn add(&mut self, user: &UserId, read: &Read<'_>) -> bool {
        let key = (read.caller.actor(), action(read.rpc));
        if let Some((count, last)) = self.users.get_mut(user).and_then(|of_user| of_user.counted.get_mut(&key)) {
            *count += 1;
            *last = read.at.max(*last);
            return true;
        }
        if self.entries >= MAX_WAITING {
            return false;
        }
        self.entries += 1;
        let of_user = self.users.entry(user.clone()).or_default();
        if read.caller.agent {
            let subject = read.subject.map(str::to_owned);
            of_user.single.push(AuditEntry { subject, ..entry(key, 1, read.at) });
        } else {
            of_user.counted.insert(key, (1, read.at));
        }
        true
    }
}

impl OfUser {
    /// Returns the entries in the order of their times.
    fn entries(self) -> Vec<AuditEntry> {
        let counted = self.counted.into_iter().map(|(key, (count, at))| entry(key, count, at));
        let mut entries: Vec<AuditEntry> = self.single.into_iter().chain(counted).collect();
        entries.sort_by_key(|entry| entry.at);
        entries
    }
}

fn entry((actor, action): (Arc<str>, &'static str), count: u64, at: Timestamp) -> AuditEntry {
    AuditEntry { at, actor: Actor::Named(actor), action, refused: None, subject: None, count }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const GET: &str = "/kimberly.v1.MemoryService/GetMemory";
    const LIST: &str = "/kimberly.v1.MemoryService/ListMemories";

    fn user(n: usize) -> UserId {
        UserId::parse(&format!("u{n}")).unwrap()
    }

    fn read<'a>(caller: &'a Caller, rpc: &'static str, at: i64) -> Read<'a> {
        Read { caller, rpc, at: Timestamp(at), subject: None }
    }

    fn told(entries: &[AuditEntry]) -> Vec<(&str, &str, u64, i64)> {
        entries.iter().map(|e| (e.actor.name(), e.action, e.count, e.at.0)).collect()
    }

    #[tokio::test]
    async fn calls_are_counted_and_those_of_agents_told_one_by_one() {
        let (reads, open) = (Reads::default(), Caller::open());
        let agent = Caller { name: "mia".into(), agent: true, ..Caller::open() };
        for at in [5, 9, 7] {
            reads.note(&user(1), read(&open, GET, at)).await;
            reads.note(&user(1), read(&agent, GET, at)).await;
        }
        reads.note(&user(1), read(&open, LIST, 6)).await;
        reads.note(&user(2), read(&open, GET, 1)).await;
        let agents = agent.actor();
        let single = reads.take(false);
        let times: Vec<i64> = single[&user(1)].iter().map(|entry| entry.at.0).collect();
        assert_eq!((single.len(), times), (1, vec![5, 7, 9]));
        reads.put_back(user(1), single.into_values().next().unwrap());
        let mut taken = reads.take(true);
        let expected = [
            (&*agents, "MemoryService/GetMemory", 1, 5),
            ("open", "MemoryService/ListMemories", 1, 6),
            (&*agents, "MemoryService/GetMemory", 1, 7),
            (&*agents, "MemoryService/GetMemory", 1, 9),
            ("open", "MemoryService/GetMemory", 3, 9),
        ];
        let mut found = taken.remove(&user(1)).unwrap();
        found.sort_by_key(|entry| (entry.at, entry.count));
        assert_eq!(told(&found), expected);
        assert_eq!(told(&taken.remove(&user(2)).unwrap()), [("open", "MemoryService/GetMemory", 1, 1)]);
        assert!(reads.take(true).is_empty());
    }

    #[tokio::test]
    async fn who_finds_no_room_waits_until_there_is_and_nothing_is_lost() {
        let (reads, open) = (Arc::new(Reads::default()), Caller::open());
        for n in 0..MAX_WAITING {
            reads.note(&user(n), read(&open, GET, 0)).await;
        }
        reads.note(&user(0), read(&open, GET, 1)).await;
        let waiting = tokio::spawn({
            let (reads, open) = (Arc::clone(&reads), Caller::open());
            async move { reads.note(&user(MAX_WAITING), read(&open, GET, 2)).await }
        });
        reads.full().await;
        tokio::time::sleep(Duration::from_millis(20)).await;
        assert!(!waiting.is_finished());
        let mut taken = reads.take(true);
        assert_eq!(taken.len(), MAX_WAITING);
        waiting.await.unwrap();
        let back = taken.remove(&user(0)).unwrap();
        assert_eq!(told(&back), [("open", "MemoryService/GetMemory", 2, 1)]);
        reads.put_back(user(0), back);
        assert_eq!(reads.take(true).len(), 2);
    }
}
