//! Writes continuously, retries unacknowledged writes, and records acknowledged ones.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use kimberly_proto::v1 as pb;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use rand::{Rng as _, SeedableRng as _};
use tonic::{Code, Status};

use super::Named;
use crate::drafts::draft;
use crate::{User, reason};

/// Timeout of a write over all its attempts. Tests do not measure time; this only bounds a hang.
pub const PATIENCE: Duration = Duration::from_mins(2);

/// The acknowledged writes of a writer.
#[derive(Debug)]
pub struct Book {
    /// The user.
    pub user: String,
    /// Content and whether it was deleted, by id, of every acknowledged write.
    pub memories: HashMap<String, (String, bool)>,
    /// Contents of writes that were sent once, failed, and were not retried.
    pub abandoned: Vec<String>,
    /// The writer's note and core memory block, which are also in `memories`.
    pub named: Vec<Named>,
}

/// A writer with its own connection.
pub struct Writer {
    pub(super) user: User,
    pub(super) number: usize,
    count: u64,
    acknowledged: Arc<AtomicU64>,
    pub(super) dice: StdRng,
    pub(super) book: Book,
}

impl Writer {
    /// A writer with its own random generator and a shared counter of acknowledged writes.
    pub fn new(user: User, number: usize, seed: u64, acknowledged: Arc<AtomicU64>) -> Self {
        let book = Book { user: user.id(), memories: HashMap::new(), abandoned: Vec::new(), named: Vec::new() };
        let dice = StdRng::seed_from_u64(seed.wrapping_add(number as u64));
        Self { user, number, count: 0, acknowledged, dice, book }
    }

    /// Writes until stopped; returns the book.
    pub async fn write_until(mut self, stop: Arc<AtomicBool>) -> Book {
        self.create_files().await;
        while !stop.load(Ordering::SeqCst) {
            match self.dice.random_range(0..100) {
                0..50 => self.create().await,
                50..60 => self.create_batch().await,
                60..70 => self.create_once().await,
                70..80 => self.update().await,
                80..90 => self.edit().await,
                _ => self.delete().await,
            }
        }
        self.book
    }

    pub(super) fn content(&mut self) -> String {
        self.count += 1;
        let padding = "lorem ipsum ".repeat(self.dice.random_range(1..30));
        format!("writer {} write {}: {padding}", self.number, self.count)
    }

    pub(super) fn request_id(&self, kind: &str) -> String {
        format!("{kind}-{}-{}", self.number, self.count)
    }

    async fn create(&mut self) {
        let content = self.content();
        let request = pb::CreateMemoryRequest {
            user_id: self.user.id(),
            memory: Some(draft(&content)),
            request_id: self.request_id("create"),
            always_new: true,
        };
        let memories = self.user.clients.memories.clone();
        let response = until_acknowledged(|| {
            let (mut memories, request) = (memories.clone(), request.clone());
            async move { memories.create_memory(request).await }
        })
        .await;
        self.acknowledge(response.receipt.expect("a receipt").id, content);
    }

    async fn create_batch(&mut self) {
        let contents: Vec<String> = (0..5).map(|_| self.content()).collect();
        let request = pb::BatchCreateMemoriesRequest {
            user_id: self.user.id(),
            memories: contents.iter().map(|content| draft(content)).collect(),
            request_id: self.request_id("batch"),
            always_new: true,
        };
        let memories = self.user.clients.memories.clone();
        let response = until_acknowledged(|| {
            let (mut memories, request) = (memories.clone(), request.clone());
            async move { memories.batch_create_memories(request).await }
        })
        .await;
        assert_eq!(response.receipts.len(), contents.len());
        for (receipt, content) in response.receipts.into_iter().zip(contents) {
            self.acknowledge(receipt.id, content);
        }
    }

    /// Sends a write once, without a request id: it may take effect once or not at all.
    async fn create_once(&mut self) {
        let content = self.content();
        let memory = Some(draft(&content));
        let request =
            pb::CreateMemoryRequest { user_id: self.user.id(), memory, request_id: String::new(), always_new: true };
        match self.user.clients.memories.create_memory(request).await {
            Ok(response) => {
                let id = response.into_inner().receipt.expect("a receipt").id;
                self.acknowledge(id, content);
            }
            Err(status) => {
                assert_may_be_tried_again(&status);
                self.book.abandoned.push(content);
            }
        }
    }

    async fn update(&mut self) {
        let Some(id) = self.some_living() else { return };
        let content = self.content();
        let request = pb::UpdateMemoryRequest {
            user_id: self.user.id(),
            id: id.clone(),
            memory: Some(draft(&content)),
            update_mask: Some(prost_types::FieldMask { paths: vec!["content".to_owned()] }),
            etag: String::new(),
            request_id: self.request_id("update"),
        };
        let memories = self.user.clients.memories.clone();
        until_acknowledged(|| {
            let (mut memories, request) = (memories.clone(), request.clone());
            async move { memories.update_memory(request).await }
        })
        .await;
        self.acknowledge(id, content);
    }

    async fn delete(&mut self) {
        let Some(id) = self.some_living() else { return };
        self.count += 1;
        let request = pb::DeleteMemoryRequest {
            user_id: self.user.id(),
            id: id.clone(),
            etag: String::new(),
            request_id: self.request_id("delete"),
            dry_run: false,
        };
        let memories = self.user.clients.memories.clone();
        until_acknowledged(|| {
            let (mut memories, request) = (memories.clone(), request.clone());
            async move { memories.delete_memory(request).await }
        })
        .await;
        self.book.memories.get_mut(&id).expect("it was chosen from the book").1 = true;
        self.acknowledged.fetch_add(1, Ordering::SeqCst);
    }

    /// Records an acknowledged write.
    pub(super) fn acknowledge(&mut self, id: String, content: String) {
        self.book.memories.insert(id, (content, false));
        self.acknowledged.fetch_add(1, Ordering::SeqCst);
    }

    /// A memory without a name that was not deleted.
    fn some_living(&mut self) -> Option<String> {
        let Book { memories, named, .. } = &self.book;
        let living = memories.iter().filter(|(_, (_, deleted))| !deleted).map(|(id, _)| id);
        let mut living: Vec<&String> = living.filter(|id| named.iter().all(|one| &one.id != *id)).collect();
        living.sort();
        living.choose(&mut self.dice).map(|id| (*id).clone())
    }
}

/// Sends the same request until it is acknowledged.
pub async fn until_acknowledged<T, F>(mut send: impl FnMut() -> F) -> T
where
    F: Future<Output = Result<tonic::Response<T>, Status>>,
{
    let started = Instant::now();
    loop {
        match send().await {
            Ok(response) => return response.into_inner(),
            Err(status) => assert_may_be_tried_again(&status),
        }
        assert!(started.elapsed() < PATIENCE, "a write is not acknowledged");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Writes may fail here only with a broken connection, a busy store or an exceeded deadline; an internal error of the
/// server is a defect.
fn assert_may_be_tried_again(status: &Status) {
    let reason = reason(status);
    let broken = reason.is_empty() && [Code::Unknown, Code::Internal, Code::Cancelled].contains(&status.code());
    let passing = [Code::Unavailable, Code::DeadlineExceeded].contains(&status.code());
    assert!(broken || passing, "a write failed with {status:?}");
}
