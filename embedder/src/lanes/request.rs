//! The texts of one call: collects their vectors and tracks cancellation.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use tokio::sync::oneshot;

use super::error::EmbedError;

type Answer = Result<Vec<Vec<f32>>, EmbedError>;

/// The state shared by the texts of one call.
#[derive(Clone, Debug)]
pub(super) struct Request(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    unwanted: AtomicBool,
    gathered: Mutex<Gathered>,
}

#[derive(Debug)]
struct Gathered {
    vectors: Vec<Vec<f32>>,
    missing: usize,
    answer: Option<oneshot::Sender<Answer>>,
}

impl Request {
    /// Creates a call with `texts` texts and the receiver of its result. Without texts it completes at once.
    pub(super) fn new(texts: usize) -> (Self, oneshot::Receiver<Answer>) {
        let (answer, receiver) = oneshot::channel();
        let gathered = Gathered { vectors: vec![Vec::new(); texts], missing: texts, answer: Some(answer) };
        let request = Self(Arc::new(Shared { unwanted: AtomicBool::new(false), gathered: Mutex::new(gathered) }));
        if texts == 0 {
            request.0.gathered.lock().finish();
        }
        (request, receiver)
    }

    /// Cancels the request when dropped.
    pub(super) fn guard(self) -> Guard {
        Guard(self)
    }

    /// Whether the request is still wanted, i.e. not cancelled.
    pub(super) fn is_wanted(&self) -> bool {
        !self.0.unwanted.load(Ordering::Relaxed)
    }

    /// Stores the vector of the text with this index.
    pub(super) fn put(&self, index: usize, vector: Vec<f32>) {
        let mut gathered = self.0.gathered.lock();
        if let Some(empty) = gathered.vectors.get_mut(index) {
            *empty = vector;
            gathered.missing = gathered.missing.saturating_sub(1);
        }
        if gathered.missing == 0 {
            gathered.finish();
        }
    }

    /// Completes with a failure and cancels the remaining texts.
    pub(super) fn fail(&self, error: EmbedError) {
        self.0.unwanted.store(true, Ordering::Relaxed);
        if let Some(answer) = self.0.gathered.lock().answer.take() {
            let _ = answer.send(Err(error));
        }
    }
}

impl Gathered {
    fn finish(&mut self) {
        if let Some(answer) = self.answer.take() {
            let _ = answer.send(Ok(std::mem::take(&mut self.vectors)));
        }
    }
}

/// See [`Request::guard`].
pub(super) struct Guard(Request);

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.0.unwanted.store(true, Ordering::Relaxed);
    }
}
