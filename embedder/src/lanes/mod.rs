//! Threads that do nothing but run a model, and two lanes of texts before them: queries, for which somebody waits, and
//! bulk work.
//!
//! Each lane has threads of its own. Those of the bulk lane ask the system for a much smaller share of the processors, so
//! that a query, and whatever else a person waits for on this machine, runs at once and bulk work with what is left. A
//! thread takes a few texts at a time, as many as it computes in some milliseconds, so that a stop or a caller who went
//! away costs no more. Threads share no computation: texts are divided among them. Both lanes are bounded. The texts of a
//! future that was dropped are not computed.

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

use crate::model::{Model, Purpose};
pub use meter::Meter;
use queue::{Item, Queues};
use request::Request;

/// Queries' texts that may wait.
const MAX_WAITING_QUERIES: usize = 256;
/// Bulk texts that may wait; who has more waits for room.
const MAX_WAITING_BULK: usize = 1_024;
/// Most threads.
pub const MAX_THREADS: usize = 256;

/// Which line a text stands in, and what it is embedded for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// Somebody waits for the answer: runs at once, before all bulk work.
    Query,
    /// Documents, whenever there is time.
    Bulk,
}

impl Lane {
    const fn purpose(self) -> Purpose {
        match self {
            Self::Query => Purpose::Query,
            Self::Bulk => Purpose::Document,
        }
    }
}

/// Why texts have no vectors.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EmbedError {
    /// Too many queries wait already.
    #[error("{MAX_WAITING_QUERIES} queries wait for the model already; try again in a moment")]
    Busy,
    /// The process stops.
    #[error("the embedder is stopping")]
    Stopping,
    /// The model gave none.
    #[error("{0}")]
    Failed(String),
}

/// A model on threads of its own. Clones share them; with the last one they end.
#[derive(Clone, Debug)]
pub struct Embedder {
    shared: Arc<Handle>,
}

/// Ends the threads when nobody can ask for anything any more.
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
    /// Starts `threads` threads (at least 1, at most [`MAX_THREADS`]) for each lane that run `model`.
    pub fn start(model: Arc<Model>, threads: usize) -> std::io::Result<Self> {
        Self::metered(model, threads, &Meter::default())
    }

    /// As [`Self::start`], with somebody who counts.
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

    /// Without threads: nothing is computed.
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

    /// Texts that wait in a lane.
    pub fn waiting(&self, lane: Lane) -> usize {
        self.shared.queues.waiting(lane)
    }

    /// The vectors of `texts`, in their order, each of length 1. Texts longer than the model's window are cut. Bulk work
    /// waits for room in its lane; queries are refused when there is none. Dropping the future takes back what no thread
    /// has begun.
    pub async fn embed(&self, texts: Vec<String>, lane: Lane) -> Result<Vec<Vec<f32>>, EmbedError> {
        let (request, answer) = Request::new(texts.len());
        let _taken_back_on_drop = request.clone().guard();
        for (place, text) in texts.into_iter().enumerate() {
            let room = self.room(lane).await?;
            let item = Item { text, purpose: lane.purpose(), place, request: request.clone(), _room: room };
            self.shared.queues.push(lane, item);
        }
        // Without an answer the threads are gone.
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
