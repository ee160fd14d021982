//! Watchers get each change once and in order, through broken connections and killed processes.

use kimberly_proto::v1::import_memories_request::Message;
use kimberly_proto::v1::{self as pb, ChangeKind};
use kimberly_tests::drafts::{draft, in_tier};
use kimberly_tests::{System, User};
use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};

/// Changes with their memories.
type Changes = Vec<(ChangeKind, String)>;

/// Watches over randomly broken connections until this many changes arrived.
async fn watch(mut user: User, until: tokio::sync::watch::Receiver<usize>) -> (Changes, u32) {
    let mut dice = StdRng::seed_from_u64(3);
    let (mut seen, mut cursor, mut connections) = (Changes::new(), String::new(), 0);
    loop {
        let request = pb::WatchMemoriesRequest {
            user_id: user.id(),
            cursor: cursor.clone(),
            from_oldest: true,
            ..Default::default()
        };
        let Ok(stream) = user.clients.memories.watch_memories(request).await else {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
            continue;
        };
        connections += 1;
        let mut stream = stream.into_inner();
        for _ in 0..dice.random_range(1..6) {
            let Ok(Some(message)) = stream.message().await else { break };
            cursor = message.cursor;
            let Some(change) = message.change else { continue };
            seen.push((change.kind(), change.memory_id.clone()));
            if seen.len() >= *until.borrow() {
                return (seen, connections);
            }
        }
    }
}

/// Performs actions one by one and records the expected changes.
struct Actor {
    user: User,
    expected: Changes,
}

impl Actor {
    async fn create(&mut self, draft: pb::MemoryDraft) -> String {
        let id = self.user.remember_draft(draft).await.id;
        self.expected.push((ChangeKind::Created, id.clone()));
        id
    }

    async fn update(&mut self, id: &str) {
        self.user.write_over(id, "changed").await;
        self.expected.push((ChangeKind::Updated, id.to_owned()));
    }

    async fn forget(&mut self, id: &str) {
        self.user.forget(id).await;
        self.expected.push((ChangeKind::Deleted, id.to_owned()));
    }

    async fn restore(&mut self, id: &str) {
        self.user.restore(id).await;
        self.expected.push((ChangeKind::Restored, id.to_owned()));
    }

    /// Imports a deleted memory whose grace ended hours ago: the next meditation erases it.
    async fn bury(&mut self, like: &str) {
        let mut memory = self.user.memory(like).await;
        let hours_ago = |hours: i64| {
            let created = memory.created_at.expect("a memory has a time");
            Some(prost_types::Timestamp { seconds: created.seconds - hours * 3_600, ..created })
        };
        (memory.archived_at, memory.delete_after) = (hours_ago(3), hours_ago(2));
        memory.state = pb::MemoryState::Deleted.into();
        memory.id = format!("{}dead", &like[..like.len() - 4]);
        let id = memory.id.clone();
        let record = pb::MemoryRecord { memory: Some(memory), ..Default::default() };
        let start = pb::ImportStart { user_id: self.user.id(), import_id: id.clone(), ..Default::default() };
        let item = pb::ImportItem { index: 0, memory: Some(pb::import_item::Memory::Record(record)) };
        let messages = [Message::Start(start), Message::Item(item)];
        let requests = messages.map(|message| pb::ImportMemoriesRequest { message: Some(message) });
        let answers = self.user.clients.memories.import_memories(tokio_stream::iter(requests)).await;
        let mut answers = answers.expect("an import begins").into_inner();
        let mut stored = false;
        while let Some(answer) = answers.message().await.expect("an import goes on") {
            let outcomes = answer.results.iter().map(|result| result.outcome.as_ref());
            stored |= outcomes.into_iter().any(|one| matches!(one, Some(pb::import_result::Outcome::Receipt(_))));
        }
        assert!(stored, "the record was refused");
        self.expected.push((ChangeKind::Created, id));
    }

    async fn quota(&mut self, bytes: i64) {
        let settings = pb::UserSettings { long_term_quota_bytes: Some(bytes), ..Default::default() };
        self.user.set(settings, &["long_term_quota_bytes"]).await;
    }

    /// Makes the worker meditate, and records its decisions.
    async fn meditate(&mut self) -> usize {
        // Over quota only during the run: otherwise a write would trigger a meditation.
        self.quota(2_048).await;
        let run = self.user.meditate().await;
        self.quota(1 << 20).await;
        assert_eq!(run.status(), pb::MeditationStatus::Complete, "{}", run.error);
        let decisions = self.user.run(&run.id).await.decisions;
        let before = self.expected.len();
        for decision in decisions {
            match decision.action() {
                pb::DecisionAction::Archive => self.expected.push((ChangeKind::Archived, decision.memory_id)),
                pb::DecisionAction::Delete => self.expected.push((ChangeKind::Erased, decision.memory_id)),
                _ => {}
            }
        }
        self.expected.len() - before
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn changes_of_all_processes_arrive_once_and_in_order_despite_broken_connections_and_kills() {
    let mut system = System::start().await;
    let (end, until) = tokio::sync::watch::channel(usize::MAX);
    let watching = tokio::spawn(watch(system.user("ana"), until));
    let mut actor = Actor { user: system.user("ana"), expected: Changes::new() };
    for round in 0..4 {
        let mut ids = Vec::new();
        for n in 0..8 {
            ids.push(actor.create(draft(&format!("round {round}, {n}: {}", "words ".repeat(60)))).await);
        }
        let permanent = actor.create(in_tier(pb::Tier::Permanent, "canonical")).await;
        actor.update(&ids[7]).await;
        actor.forget(&permanent).await;
        actor.bury(&ids[0]).await;
        // The worker archives memories over quota and erases those after their grace.
        assert!(actor.meditate().await > 0, "the worker changed nothing");
        actor.user.recall("words").await;
        system.api.kill9();
        system.api.start_again();
        if round % 2 == 0 {
            system.worker.kill9();
            system.worker.start_again();
        }
        system.wait_until_serving().await;
        let archived = actor.user.list(filter(pb::MemoryState::Archived)).await;
        if let Some(memory) = archived.first() {
            actor.restore(&memory.id).await;
            actor.forget(&memory.id).await;
        }
    }
    end.send(actor.expected.len() + 1).expect("a watcher runs");
    actor.create(draft("the end")).await;
    let (seen, connections) = watching.await.expect("the watch ends well");
    assert_eq!(seen, actor.expected);
    assert!(connections > 10, "only {connections} connections; the test proves little");
    for kind in [ChangeKind::Archived, ChangeKind::Erased] {
        assert!(seen.iter().any(|(seen, _)| *seen == kind), "{kind:?} never happened");
    }
}

fn filter(state: pb::MemoryState) -> pb::MemoryFilter {
    pb::MemoryFilter { states: vec![state.into()], ..Default::default() }
}
