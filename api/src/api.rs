//! The parts of the process that every handler uses.

use std::fmt;
use std::sync::Arc;

use kimberly_core::ports::Signer;
use kimberly_core::settings::ServerDefaults;
use kimberly_core::usecases::App;
use kimberly_crypto::Keys;
use kimberly_queue::Queue;
use kimberly_runtime::Metrics;
use kimberly_runtime::config::LimitsConfig;
use tokio_util::sync::CancellationToken;

use crate::access::{Core, OfSystem};
use crate::auth::Auth;
use crate::calls::Calls;
use crate::refusals::Refusals;
use crate::touches::Touches;
use crate::vector_store::VectorStore;

/// The parts of the process that handlers use. Cheap to clone. Admitted calls get the use cases from `access` only.
#[derive(Clone)]
pub struct Api {
    pub(crate) core: Core,
    /// The embedder's service that stores uploaded vectors. `None` while embeddings are off.
    pub vector_store: Option<VectorStore>,
    /// The metrics of this process.
    pub metrics: Metrics,
    /// Warnings about ignored parts of the configuration.
    pub warnings: Arc<[String]>,
    /// Records of use that wait to be written.
    pub touches: Arc<Touches>,
    /// Refused calls that wait to be written to the audit.
    pub refusals: Arc<Refusals>,
    /// Cancelled when the process stops.
    pub stop: CancellationToken,
    /// Rate limits, the queues for permits, and the bounds on streams.
    pub(crate) calls: Calls,
}

impl Api {
    /// Creates the parts without embeddings.
    pub fn new(
        app: App,
        system: OfSystem,
        queue: Queue,
        auth: Arc<Auth>,
        (metrics, warnings): (Metrics, Arc<[String]>),
        limits: &LimitsConfig,
        stop: CancellationToken,
    ) -> Self {
        let touches = Arc::new(Touches::new(metrics.clone()));
        let calls = Calls::new(limits, metrics.clone());
        let refusals = Arc::new(Refusals::new(Arc::clone(&app.clock), metrics.clone()));
        let core = Core::new(app, system, queue, auth);
        Self { core, vector_store: None, metrics, warnings, touches, refusals, stop, calls }
    }

    /// Adds the embedder's queue, and the service that stores uploaded vectors.
    #[must_use]
    pub fn with_embeddings(mut self, queue: Queue, vector_store: Option<VectorStore>) -> Self {
        self.core.with_embeddings(queue);
        Self { vector_store, ..self }
    }

    /// Adds the keys of the data folder.
    #[must_use]
    pub fn with_keys(mut self, keys: Keys) -> Self {
        self.core.with_keys(keys);
        self
    }

    /// Adds the signer of audit checkpoints.
    #[must_use]
    pub fn with_signer(mut self, signer: Arc<dyn Signer>) -> Self {
        self.core.with_signer(signer);
        self
    }

    /// Returns the operator's configuration.
    pub fn defaults(&self) -> &ServerDefaults {
        self.core.defaults()
    }
}

impl fmt::Debug for Api {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Api")
    }
}
