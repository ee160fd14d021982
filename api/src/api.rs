//! What every handler works with.

use std::fmt;
use std::sync::Arc;

use kimberly_core::ports::Registry;
use kimberly_core::usecases::App;
use kimberly_queue::Queue;
use kimberly_runtime::Metrics;
use kimberly_runtime::config::LimitsConfig;
use tokio_util::sync::CancellationToken;

use crate::calls::Calls;
use crate::touches::Touches;
use crate::vector_store::VectorStore;

/// The parts of the process that handlers use. Cloning is cheap.
#[derive(Clone)]
pub struct Api {
    /// The use cases.
    pub app: App,
    /// The registry of users.
    pub registry: Arc<dyn Registry>,
    /// The queue, for its numbers.
    pub queue: Queue,
    /// The queue of the embedder, for its numbers; `None` while embeddings are off.
    pub embed_queue: Option<Queue>,
    /// The embedder as the one that stores vectors; `None` while embeddings are off.
    pub vector_store: Option<VectorStore>,
    /// What this process counted.
    pub metrics: Metrics,
    /// What was passed over in the configuration.
    pub warnings: Arc<[String]>,
    /// Touches that wait to be written.
    pub touches: Arc<Touches>,
    /// Cancelled when the process stops.
    pub stop: CancellationToken,
    /// Who works, who waits and who is refused.
    pub(crate) calls: Calls,
}

impl Api {
    /// Puts the parts together, without embeddings.
    pub fn new(
        app: App,
        registry: Arc<dyn Registry>,
        queue: Queue,
        (metrics, warnings): (Metrics, Arc<[String]>),
        limits: &LimitsConfig,
        stop: CancellationToken,
    ) -> Self {
        let touches = Arc::new(Touches::new(metrics.clone()));
        let calls = Calls::new(limits, metrics.clone());
        let (embed_queue, vector_store) = (None, None);
        Self { app, registry, queue, embed_queue, vector_store, metrics, warnings, touches, stop, calls }
    }
}

impl fmt::Debug for Api {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Api")
    }
}
