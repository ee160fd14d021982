//! One operation per file, called by the processes' handlers and jobs. A use case checks its input, reads, decides with
//! the pure functions of this crate and writes in one named transaction. It knows no transport and no database.

mod admission;
mod archive_now;
pub mod attachments;
pub mod audit;
mod cascade;
mod compact_session;
pub mod consents;
pub mod core_memory;
mod covering;
mod create_memories;
mod delete_memory;
pub mod documents;
mod embed_later;
pub mod embedding;
mod end_session;
mod enqueue;
mod export_memories;
mod extract_turns;
mod find_playbooks;
mod forget_memories;
mod forgetting;
mod get_context;
mod get_history;
mod get_identity;
mod get_meditation;
mod get_memory;
pub mod goals;
pub mod graph;
pub mod idempotency;
mod import_memories;
pub(crate) mod insights;
mod invalidate_memory;
pub mod keys;
pub mod links;
mod list_alerts;
mod list_meditations;
mod list_memories;
mod list_uncertain;
mod list_unprocessed;
mod masking;
mod meditate;
pub mod memory_tool;
pub(crate) mod merge;
mod metrics;
pub mod named;
mod observe;
pub mod page;
mod past;
mod prepared;
pub(crate) mod profiles;
mod promote_memories;
mod protection;
pub mod purge;
mod query_memories;
mod rebuild_derived;
mod record_change;
mod record_interaction;
mod record_outcome;
mod record_playbook_use;
mod restore_memory;
pub mod reviews;
mod revive;
mod room;
mod run_meditation;
pub mod settings;
mod start_due;
mod statements;
mod store_conversation;
mod supersede;
mod support;
mod touch;
pub(crate) mod unsummarize;
mod update_memory;
mod veil;
mod verify_memory;
mod watch_memories;
mod working_memory;
mod write_back;

pub(crate) use embed_later::embed_later;

pub use compact_session::{CompactInput, Compacted};
pub use create_memories::{CreateInput, PreparedMemories};
pub use delete_memory::{DeleteInput, Deleted};
pub use end_session::{EndSessionInput, SessionEnded};
pub use export_memories::{Export, ExportInput, ExportPiece};
pub use find_playbooks::{FoundPlaybooks, PlaybooksInput};
pub use forget_memories::{ForgetInput, Forgotten};
pub use forgetting::{ForgettingCandidate, ForgettingInput, ForgettingRun, ForgottenMemory, RunForgettingInput};
pub use get_context::{ContextInput, ContextOutput};
pub use get_history::{Event, History};
pub use get_identity::{Identity, SupportedBelief};
pub use get_meditation::MeditationPage;
pub use get_memory::ExplainedMemory;
pub use import_memories::{Choices, Import, ImportItem, ImportResult, Imported, ItemOutcome, PreparedImport};
pub use invalidate_memory::{InvalidateInput, Invalidated};
pub use list_alerts::{ToldAlert, list_alerts};
pub use list_meditations::MeditationsPage;
pub use list_memories::{ListInput, MemoryPage};
pub use list_uncertain::UncertainInput;
pub use list_unprocessed::UnprocessedInput;
pub use meditate::{MeditateInput, Meditated};
pub use metrics::{SystemMetrics, UserMetrics};
pub use observe::{ObserveInput, ObserveStream};
pub use promote_memories::PromoteInput;
pub use query_memories::{QueryInput, QueryOutput, Recalled, SemanticRecall, SemanticStatus};
pub use rebuild_derived::Rebuilt;
pub use record_interaction::{InteractionInput, Met};
pub use record_outcome::OutcomeInput;
pub use record_playbook_use::{PlaybookUseInput, PlaybookUses};
pub use restore_memory::RestoreInput;
pub use statements::Along;
pub use supersede::SupersedeInput;
pub use update_memory::UpdateInput;
pub use verify_memory::{Verified, VerifyInput};
pub use watch_memories::{Watch, WatchInput};

use std::sync::Arc;

use create_memories::NotedUsers;
use idempotency::Key;
use page::Scope;
use serde::Serialize;
use veil::Veil;

use crate::access::{Caller, CallerVaults};
use crate::documents::DocumentCache;
use crate::entities::GraphCache;
use crate::error::Result;
use crate::ids::UserId;
use crate::ports::{ActingVaults, Blobs, Clock, CrossEncoder, Ids, LanguageModel, Observer, Vaults, VectorReader};
use crate::recall::SessionCache;
use crate::settings::ServerDefaults;

/// The dependencies of every use case. Cheap to clone.
#[derive(Clone)]
pub struct App {
    /// The vaults of all users.
    pub vaults: Arc<dyn Vaults>,
    /// The same, whatever the caller reaches: for derived data, which no answer shows.
    upkeep: Arc<dyn Vaults>,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// Makes new ids.
    pub ids: Arc<dyn Ids>,
    /// The configured values.
    pub defaults: Arc<ServerDefaults>,
    /// Telemetry.
    pub observer: Arc<dyn Observer>,
    /// Cache of short-term memories of current sessions.
    pub sessions: SessionCache,
    /// Cache of the words of documents.
    pub documents: DocumentCache,
    /// Cache of the graphs of entities.
    pub graphs: GraphCache,
    /// The vectors of all users; `None` while embeddings are off.
    pub vectors: Option<Arc<dyn VectorReader>>,
    /// The dependencies of recall by vectors; `None` if it uses none.
    pub semantic: Option<SemanticRecall>,
    /// Store for the bytes of attachments; `None` if there is none.
    pub blobs: Option<Arc<dyn Blobs>>,
    /// The language model; `None` where none is configured.
    pub language_model: Option<Arc<dyn LanguageModel>>,
    /// The cross-encoder; `None` where none is configured.
    pub cross_encoder: Option<Arc<dyn CrossEncoder>>,
    /// The caller that it acts for; `None` for the system itself.
    pub caller: Option<Arc<Caller>>,
    /// Users whose statements are all noted.
    noted: NotedUsers,
    /// Key that hides the content of tokens from callers who reach only some memories.
    token_key: Arc<[u8; 32]>,
}

impl App {
    /// Makes an app without vectors; its caches start empty.
    pub fn new(
        vaults: Arc<dyn Vaults>,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn Ids>,
        defaults: Arc<ServerDefaults>,
        observer: Arc<dyn Observer>,
    ) -> Self {
        Self {
            upkeep: Arc::clone(&vaults),
            vaults,
            clock,
            ids,
            defaults,
            observer,
            sessions: SessionCache::default(),
            documents: DocumentCache::default(),
            graphs: GraphCache::default(),
            vectors: None,
            semantic: None,
            blobs: None,
            language_model: None,
            cross_encoder: None,
            caller: None,
            noted: NotedUsers::default(),
            token_key: Arc::default(),
        }
    }

    /// Adds vectors, to relate memories to goals.
    #[must_use]
    pub fn with_vectors(self, vectors: Arc<dyn VectorReader>) -> Self {
        Self { vectors: Some(vectors), ..self }
    }

    /// Adds a store for the bytes of attachments.
    #[must_use]
    pub fn with_blobs(self, blobs: Arc<dyn Blobs>) -> Self {
        Self { blobs: Some(blobs), ..self }
    }

    /// Adds a language model, if there is one.
    #[must_use]
    pub fn with_language_model(self, language_model: Option<Arc<dyn LanguageModel>>) -> Self {
        Self { language_model, ..self }
    }

    /// Adds a cross-encoder, if there is one.
    #[must_use]
    pub fn with_cross_encoder(self, cross_encoder: Option<Arc<dyn CrossEncoder>>) -> Self {
        Self { cross_encoder, ..self }
    }

    /// Makes the app act for a caller, who is then the actor of every write. A caller who reaches only some memories
    /// shares no cache of them with others.
    #[must_use]
    pub fn with_caller(self, caller: Arc<Caller>) -> Self {
        let vaults: Arc<dyn Vaults> = Arc::new(ActingVaults::new(self.vaults, caller.actor()));
        if caller.grant.rows.are_all() {
            return Self { vaults, caller: Some(caller), ..self };
        }
        let vaults = Arc::new(CallerVaults::new(vaults, Arc::clone(&caller.grant), Arc::clone(&caller.name)));
        let (sessions, graphs) = (self.sessions.unread(), GraphCache::default());
        Self { vaults, sessions, graphs, caller: Some(caller), ..self }
    }

    /// Sets the key that hides the content of tokens: the same whenever this data folder is served, and known to no caller.
    #[must_use]
    pub fn with_token_key(self, key: [u8; 32]) -> Self {
        Self { token_key: Arc::new(key), ..self }
    }

    /// Reports whether it acts for a caller who reaches only some memories.
    fn is_limited(&self) -> bool {
        self.caller.as_ref().is_some_and(|caller| !caller.grant.rows.are_all())
    }

    /// Returns the scope of a list of memories, or of their changes.
    fn scope_of_memories(&self, operation: &'static str, user: &UserId, selection: &impl Serialize) -> Result<Scope> {
        let limited = self.is_limited();
        let veil = || Veil::new(Arc::clone(&self.token_key), Arc::clone(&self.ids), Arc::clone(&self.clock));
        Ok(Scope::new(operation, user, selection)?.veiled(limited.then(veil)))
    }

    /// Returns an id chosen by a caller as it is stored: for that caller alone.
    pub(crate) fn scoped(&self, id: &str) -> String {
        self.caller.as_ref().map_or_else(|| id.to_owned(), |caller| caller.scoped(id))
    }

    /// Makes the idempotency key of a write of this caller.
    pub(crate) fn key(&self, request_id: &str, operation: &'static str, body: &impl Serialize) -> Result<Option<Key>> {
        let key = Key::new(request_id, operation, body)?;
        Ok(match &self.caller {
            Some(caller) => key.map(|key| key.kept_for(caller)),
            None => key,
        })
    }

    /// Returns the name under which this app's actions are recorded.
    pub(crate) fn principal(&self) -> String {
        self.caller.as_ref().map_or_else(|| "system".to_owned(), |caller| caller.name.to_string())
    }

    /// Adds vectors, for recall as well.
    #[must_use]
    pub fn with_semantic(self, semantic: SemanticRecall) -> Self {
        Self { vectors: Some(Arc::clone(&semantic.vectors)), semantic: Some(semantic), ..self }
    }
}
