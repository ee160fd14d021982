//! Writes without end, tries again what was not acknowledged, and keeps book of what was.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use kimberly_proto::v1 as pb;
use kimberly_tests::drafts::draft;
use kimberly_tests::{User, reason};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use rand::{Rng as _, SeedableRng as _};
use tonic::{Code, Status};

/// How long one write may take over all its tries.
const PATIENCE: Duration = Duration::from_mins(1);

/// What a writer was told.
#[derive(Debug)]
pub(crate) struct Book {
    /// The user.
    pub(crate) user: String,
    /// Content and whether it was deleted, by id, of every acknowledged write.
    pub(crate) memories: HashMap<String, (String, bool)>,
    /// Contents of writes that were sent once, failed, and were not tried again.
    pub(crate) abandoned: Vec<String>,
}

/// One writer with a connection of its own.
pub(crate) struct Writer {
    user: User,
    number: usize,
    count: u64,
    dice: StdRng,
    book: Book,
}

impl Writer {
    pub(crate) fn new(user: User, number: usize) -> Self {
        let book = Book { user: user.id(), memories: HashMap::new(), abandoned: Vec::new() };
        Self { user, number, count: 0, dice: StdRng::seed_from_u64(number as u64), book }
    }

    /// Writes until told to stop; returns the book.
    pub(crate) async fn write_until(mut self, stop: Arc<AtomicBool>) -> Book {
        while !stop.load(Ordering::SeqCst) {
            match self.dice.random_range(0..100) {
                0..50 => self.create().await,
                50..60 => self.create_batch().await,
                60..70 => self.create_once().await,
                70..90 => self.update().await,
                _ => self.delete().await,
            }
        }
        self.book
    }

    fn content(&mut self) -> String {
        self.count += 1;
        let padding = "lorem ipsum ".repeat(self.dice.random_range(1..30));
        format!("writer {} write {}: {padding}", self.number, self.count)
    }

    fn request_id(&self, kind: &str) -> String {
        format!("{kind}-{}-{}", self.number, self.count)
    }

    async fn create(&mut self) {
        let content = self.content();
        let request = pb::CreateMemoryRequest {
            user_id: self.user.id(),
            memory: Some(draft(&content)),
            request_id: self.request_id("create"),
        };
        let memories = self.user.clients.memories.clone();
        let response = until_acknowledged(|| {
            let (mut memories, request) = (memories.clone(), request.clone());
            async move { memories.create_memory(request).await }
        })
        .await;
        self.book.memories.insert(response.receipt.expect("a receipt").id, (content, false));
    }

    async fn create_batch(&mut self) {
        let contents: Vec<String> = (0..5).map(|_| self.content()).collect();
        let request = pb::BatchCreateMemoriesRequest {
            user_id: self.user.id(),
            memories: contents.iter().map(|content| draft(content)).collect(),
            request_id: self.request_id("batch"),
        };
        let memories = self.user.clients.memories.clone();
        let response = until_acknowledged(|| {
            let (mut memories, request) = (memories.clone(), request.clone());
            async move { memories.batch_create_memories(request).await }
        })
        .await;
        assert_eq!(response.receipts.len(), contents.len());
        for (receipt, content) in response.receipts.into_iter().zip(contents) {
            self.book.memories.insert(receipt.id, (content, false));
        }
    }

    /// Sent once, without a request id: it may have happened or not, but not twice.
    async fn create_once(&mut self) {
        let content = self.content();
        let memory = Some(draft(&content));
        let request = pb::CreateMemoryRequest { user_id: self.user.id(), memory, request_id: String::new() };
        match self.user.clients.memories.create_memory(request).await {
            Ok(response) => {
                let id = response.into_inner().receipt.expect("a receipt").id;
                self.book.memories.insert(id, (content, false));
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
        self.book.memories.insert(id, (content, false));
    }

    async fn delete(&mut self) {
        let Some(id) = self.some_living() else { return };
        self.count += 1;
        let request = pb::DeleteMemoryRequest {
            user_id: self.user.id(),
            id: id.clone(),
            etag: String::new(),
            request_id: self.request_id("delete"),
        };
        let memories = self.user.clients.memories.clone();
        until_acknowledged(|| {
            let (mut memories, request) = (memories.clone(), request.clone());
            async move { memories.delete_memory(request).await }
        })
        .await;
        self.book.memories.get_mut(&id).expect("it was chosen from the book").1 = true;
    }

    fn some_living(&mut self) -> Option<String> {
        let mut living: Vec<&String> =
            self.book.memories.iter().filter(|(_, (_, deleted))| !deleted).map(|(id, _)| id).collect();
        living.sort();
        living.choose(&mut self.dice).map(|id| (*id).clone())
    }
}

/// Sends the same request until it is acknowledged.
async fn until_acknowledged<T, F>(mut send: impl FnMut() -> F) -> T
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

/// Only a broken connection or a busy store may fail a write here; an error of the server's own is a defect.
fn assert_may_be_tried_again(status: &Status) {
    let told = reason(status);
    let broken = told.is_empty()
        && [Code::Unavailable, Code::Unknown, Code::Internal, Code::Cancelled, Code::DeadlineExceeded]
            .contains(&status.code());
    assert!(broken || status.code() == Code::Unavailable, "a write failed with {status:?}");
}
