//! Model threads, fed by two queues ("lanes"): queries, which have a caller waiting, and bulk work.
//!
//! Each lane has its own threads. Bulk threads have a much lower scheduling priority, so that queries, and everything
//! else that users of this machine wait for, run at once and bulk work uses the rest. A thread takes few texts at a
//! time, as many as it computes in some milliseconds, so that a stop or an abandoned request wastes little. Threads
//! share no computation: each text runs on one. Both lanes are bounded. Texts of a dropped future are skipped.

mod error;
mod lane;
mod meter;
mod pace;
mod queue;
mod request;
mod work;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use kimberly_core::embedding::ModelKey;
use tokio::sync::Semaphore;

use crate::model::Model;
pub use error::EmbedError;
use error::MAX_WAITING_QUERIES;
pub use lane::Lane;
pub use meter::Meter;
use queue::{Item, Queues};
use request::Request;

/// Maximum number of waiting bulk texts; further callers wait for room.
const MAX_WAITING_BULK: usize = 1_024;
/// Maximum number of threads.
pub const MAX_THREADS: usize = 256;

/// A model with its threads. Clones share them; they end with the last clone.
#[derive(Clone, Debug)]
pub struct Embedder {
    shared: Arc<Handle>,
}

/// Stops the threads when the last clone is dropped.
#[derive(Debug)]
struct Handle {
    model: Arc<Model>,
    queues: Arc<Queues>,
    room_for_queries: Arc<Semaphore>,
    room_for_bulk: Arc<Semaphore>,
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.queues.stop();
    }
}

impl Embedder {
    /// Starts `threads` threads (from 1 to [`MAX_THREADS`]) per lane for `model`.
    pub fn start(model: Arc<Model>, threads: usize) -> std::io::Result<Self> {
        Self::metered(model, threads, &Meter::default())
    }

    /// Like [`Self::start`], with metrics.
    pub fn metered(model: Arc<Model>, threads: usize, meter: &Meter) -> std::io::Result<Self> {
        let embedder = Self::idle(model);
        let threads = threads.clamp(1, MAX_THREADS);
        for (lane, name) in [(Lane::Query, "query"), (Lane::Bulk, "bulk")] {
            for number in 0..threads {
                let Handle { model, queues, .. } = &*embedder.shared;
                let mut worker = work::Worker::new(lane, threads, model, queues, meter);
                std::thread::Builder::new().name(format!("{name}-{number}")).spawn(move || worker.run())?;
            }
        }
        Ok(embedder)
    }

    /// Without threads, for tests that control the order.
    fn idle(model: Arc<Model>) -> Self {
        Self {
            shared: Arc::new(Handle {
                model,
                queues: Arc::default(),
                room_for_queries: Arc::new(Semaphore::new(MAX_WAITING_QUERIES)),
                room_for_bulk: Arc::new(Semaphore::new(MAX_WAITING_BULK)),
            }),
        }
    }

    /// The model.
    pub fn model(&self) -> &Model {
        &self.shared.model
    }

    /// The model's key.
    pub fn key(&self) -> &ModelKey {
        self.model().key()
    }

    /// The number of texts that wait in a lane.
    pub fn waiting(&self, lane: Lane) -> usize {
        self.shared.queues.waiting(lane)
    }

    /// The vectors of `texts`, in order, each of length 1. Texts longer than the model's window are truncated. Bulk
    /// work waits for room in its lane; queries are refused if their lane is full. Dropping the future cancels texts
    /// that no thread has started.
    pub async fn embed(&self, texts: Vec<String>, lane: Lane) -> Result<Vec<Vec<f32>>, EmbedError> {
        let (request, answer) = Request::new(texts.len());
        let _taken_back_on_drop = request.clone().guard();
        for (index, text) in texts.into_iter().enumerate() {
            let room = self.room(lane).await?;
            let item = Item { text, purpose: lane.purpose(), index, request: request.clone(), _room: room };
            self.shared.queues.push(lane, item);
        }
        // The sender is dropped only when the threads have ended.
        answer.await.unwrap_or(Err(EmbedError::Stopping))
    }

    async fn room(&self, lane: Lane) -> Result<tokio::sync::OwnedSemaphorePermit, EmbedError> {
        match lane {
            Lane::Query => Arc::clone(&self.shared.room_for_queries).try_acquire_owned().map_err(|_| EmbedError::Busy),
            Lane::Bulk => {
                Arc::clone(&self.shared.room_for_bulk).acquire_owned().await.map_err(|_| EmbedError::Stopping)
            }
        }
    }
}
