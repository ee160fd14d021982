//! Callers that read and write continuously and must not notice the rotation.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use kimberly_proto::v1 as pb;
use kimberly_tests::System;
use kimberly_tests::drafts::draft;
use tokio::task::JoinHandle;

/// Running callers.
pub(crate) struct Load {
    stop: Arc<AtomicBool>,
    done: Arc<AtomicU64>,
    tasks: Vec<JoinHandle<Vec<String>>>,
}

impl Load {
    /// One caller per user, who writes and reads, and one who creates new users.
    pub(crate) fn begin(system: &System, users: &[String]) -> Self {
        let (stop, done) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let mut tasks: Vec<JoinHandle<Vec<String>>> = users
            .iter()
            .map(|user| tokio::spawn(go_on(system, user.clone(), false, (Arc::clone(&stop), Arc::clone(&done)))))
            .collect();
        tasks.push(tokio::spawn(go_on(system, "new".to_owned(), true, (Arc::clone(&stop), Arc::clone(&done)))));
        Self { stop, done, tasks }
    }

    /// Number of successful calls.
    pub(crate) fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }

    /// Stops the callers; fails if any call failed. Returns the created users.
    pub(crate) async fn end(self) -> Vec<String> {
        self.stop.store(true, Ordering::Release);
        let mut made = Vec::new();
        for task in self.tasks {
            made.extend(task.await.expect("a caller failed"));
        }
        made
    }
}

/// Writes and reads until stopped; every call must succeed.
fn go_on(
    system: &System,
    name: String,
    new: bool,
    (stop, done): (Arc<AtomicBool>, Arc<AtomicU64>),
) -> impl Future<Output = Vec<String>> + use<> {
    let clients = system.clients();
    async move {
        let mut made = Vec::new();
        for n in 0.. {
            if stop.load(Ordering::Acquire) {
                break;
            }
            let user_id = if new { format!("{name} {n}") } else { name.clone() };
            let memory = Some(draft(&format!("memory number {n}")));
            let request =
                pb::CreateMemoryRequest { user_id: user_id.clone(), memory, always_new: true, ..Default::default() };
            clients.memories.clone().create_memory(request).await.expect("a write is carried out");
            let request = pb::ListMemoriesRequest { user_id: user_id.clone(), page_size: 1, ..Default::default() };
            let found = clients.memories.clone().list_memories(request).await.expect("a read is answered");
            assert_eq!(found.into_inner().memories.len(), 1);
            done.fetch_add(2, Ordering::Relaxed);
            if new {
                made.push(user_id);
            }
            tokio::time::sleep(std::time::Duration::from_millis(if new { 250 } else { 20 })).await;
        }
        made
    }
}
