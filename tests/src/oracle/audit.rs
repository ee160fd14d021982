//! Compares acknowledged writes with the content of the vaults.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use kimberly_proto::v1::{self as pb, MeditationStatus, MemoryState, Tier};

use super::{Book, assert_files_are_as_acknowledged};
use crate::{System, User};

/// Timeout for jobs that failed during a fault and wait for a retry. Only bounds a hang.
const REST: Duration = Duration::from_mins(5);

/// The number of compared items.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Acknowledged memories.
    pub acknowledged: usize,
    /// Completed meditations.
    pub runs: usize,
}

/// Fails on the first difference.
pub async fn assert_books_and_vaults_agree(system: &System, books: &[Book]) -> Found {
    let acknowledged = books.iter().map(|book| book.memories.len()).sum();
    let mut found = Found { acknowledged, runs: 0 };
    let users: HashSet<&str> = books.iter().map(|book| book.user.as_str()).collect();
    for id in users {
        let mut user = system.user(id);
        wait_for_the_worker(&user).await;
        let stored: HashMap<String, pb::Memory> =
            user.everything().await.into_iter().map(|memory| (memory.id.clone(), memory)).collect();
        let mine: Vec<&Book> = books.iter().filter(|book| book.user == id).collect();
        assert_every_acknowledged_write_is_there(&mine, &stored);
        assert_nothing_else_is_there(&mine, &stored);
        assert_files_are_as_acknowledged(&mut user, &mine).await;
        assert_counters_equal_a_count(&mut user, &stored).await;
        assert_the_audit_is_whole(&mut user).await;
        found.runs += assert_no_run_counted_twice(&mut user).await;
    }
    found
}

/// Every scheduled run ends successfully: no job was lost.
async fn wait_for_the_worker(user: &User) {
    let asked = Instant::now();
    loop {
        let mut left = user.clone().runs().await;
        left.retain(|run| run.status() != MeditationStatus::Complete);
        if left.is_empty() {
            return;
        }
        let hopeless = asked.elapsed() > REST || left.iter().any(|run| run.status() == MeditationStatus::Failed);
        assert!(!hopeless, "{}: runs did not end well: {left:#?}", user.id);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

fn assert_every_acknowledged_write_is_there(books: &[&Book], stored: &HashMap<String, pb::Memory>) {
    for (id, (content, deleted)) in books.iter().flat_map(|book| &book.memories) {
        let memory = stored.get(id).unwrap_or_else(|| panic!("{id} was acknowledged and is lost"));
        assert_eq!(&memory.content, content, "{id} differs from the last acknowledged content");
        assert_eq!(memory.state() == MemoryState::Deleted, *deleted, "{id} is {:?}", memory.state());
    }
}

fn assert_nothing_else_is_there(books: &[&Book], stored: &HashMap<String, pb::Memory>) {
    let acknowledged: HashSet<&String> = books.iter().flat_map(|book| book.memories.keys()).collect();
    let abandoned: HashSet<&String> = books.iter().flat_map(|book| &book.abandoned).collect();
    let mut contents = HashSet::new();
    for memory in stored.values() {
        assert!(contents.insert(&memory.content), "{:?} is stored twice", memory.content);
        let expected = acknowledged.contains(&memory.id) || abandoned.contains(&memory.content);
        assert!(expected, "{} holds what no test wrote: {:?}", memory.id, memory.content);
    }
}

async fn assert_counters_equal_a_count(user: &mut User, stored: &HashMap<String, pb::Memory>) {
    let metrics = user.metrics().await;
    let sum = |keep: &dyn Fn(&pb::Memory) -> bool| {
        stored
            .values()
            .filter(|memory| keep(memory))
            .fold((0, 0), |(items, bytes), m| (items + 1, bytes + m.size_bytes))
    };
    for tier in &metrics.tiers {
        let counted = sum(&|memory| memory.tier() == tier.tier() && memory.state() == MemoryState::Active);
        assert_eq!((tier.items, tier.bytes), counted, "{:?} of {}", tier.tier(), user.id);
    }
    assert_eq!(metrics.tiers.len(), 3, "short-term, long-term, permanent");
    let archive = metrics.archive.expect("the archive");
    assert_eq!((archive.items, archive.bytes), sum(&|memory| memory.state() != MemoryState::Active), "{}", user.id);
    assert_eq!(metrics.items_created, i64::try_from(stored.len()).expect("few"), "{}: creations", user.id);
}

/// The audit chain has neither gaps nor duplicates.
async fn assert_the_audit_is_whole(user: &mut User) {
    let request = pb::VerifyAuditRequest { user_id: user.id(), expected: None };
    let found = user.clients.audit.verify_audit(request).await.expect("a check").into_inner();
    assert!(found.intact && found.entries > 0, "{}: {found:?}", user.id);
}

/// The archived items in runs, their decisions and the vault's counter agree. Returns the number of runs.
async fn assert_no_run_counted_twice(user: &mut User) -> usize {
    let metrics = user.metrics().await;
    let (mut archived, runs) = (0, user.runs().await);
    for run in &runs {
        archived += run.archived;
        if run.archived <= 1_000 {
            // Memories that are only read have a decision for each step that reads them.
            let mut decisions = user.run(&run.id).await.decisions;
            decisions.retain(|decision| decision.action() == pb::DecisionAction::Archive);
            let unique: HashSet<&String> = decisions.iter().map(|decision| &decision.memory_id).collect();
            assert_eq!(unique.len(), decisions.len(), "{} decided about a memory twice", run.id);
            assert_eq!(i64::try_from(decisions.len()).expect("few"), run.archived, "{}", run.id);
        }
        assert!(run.tiers.iter().all(|tier| tier.tier() != Tier::Unspecified));
    }
    // The list is complete. Only runs archive and no test restores, so no memory is archived twice.
    assert!(runs.len() < 1_000, "{}: {} runs; there may be more than are listed", user.id, runs.len());
    assert_eq!(archived, metrics.items_archived, "{}: archived by runs, and as the vault counted", user.id);
    runs.len()
}
