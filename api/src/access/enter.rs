//! The one way from a decoded request to what works on vaults. A handler has no other source of an [`App`] than what
//! [`Api::enter`] hands out, so that what was not decided here does not compile.

use std::sync::Arc;

use kimberly_core::access::{Caller, Operation, Refusal, Rule, decide};
use kimberly_core::extraction::ReadTurn;
use kimberly_core::ids::is_given_id;
use kimberly_core::ports::{Purges, Quarantine, Registry, Signer, SystemAudit, WorkingMemory};
use kimberly_core::usecases::App;
use kimberly_core::{Error, MemoryId, UserId};
use kimberly_crypto::Keys;
use kimberly_queue::Queue;
use prost::Message;
use tonic::{Extensions, Request, Status};

use crate::auth::Auth;
use crate::calls::{OfUser, Place};
use crate::reads::Read;
use crate::{Api, status, trace_context};

/// The ports of what is there once for all users: who there is, the audit of the system, purges, damaged vaults, working memory.
pub(crate) type OfSystem =
    (Arc<dyn Registry>, Arc<dyn SystemAudit>, Arc<dyn Purges>, Arc<dyn Quarantine>, Arc<dyn WorkingMemory>);

/// What works on vaults and on the system: private to this folder.
#[derive(Clone)]
pub(crate) struct Core {
    pub(super) app: App,
    pub(super) system: System,
}

impl Core {
    pub(crate) fn new(
        app: App,
        (registry, audit, purges, quarantine, working): OfSystem,
        queue: Queue,
        auth: Arc<Auth>,
    ) -> Self {
        let (keys, signer) = (Keys::off(), None);
        Self {
            app,
            system: System {
                registry,
                audit,
                purges,
                quarantine,
                working,
                auth,
                queue,
                embed_queue: None,
                keys,
                signer,
            },
        }
    }

    /// With the queue of the embedder.
    pub(crate) fn with_embeddings(&mut self, queue: Queue) {
        self.system.embed_queue = Some(queue);
    }

    /// With the keys of the data folder.
    pub(crate) fn with_keys(&mut self, keys: Keys) {
        self.system.keys = keys;
    }

    /// With what signs checkpoints.
    pub(crate) fn with_signer(&mut self, signer: Arc<dyn Signer>) {
        self.system.signer = Some(signer);
    }

    /// What signatures are checked with; none where nothing is signed.
    pub(crate) fn signer(&self) -> Option<&dyn Signer> {
        self.system.signer.as_deref()
    }

    /// Who checks credentials.
    pub(crate) fn auth(&self) -> &Arc<Auth> {
        &self.system.auth
    }

    /// What the operator configured.
    pub(crate) fn defaults(&self) -> &kimberly_core::settings::ServerDefaults {
        &self.app.defaults
    }
}

/// What is there once for all users.
#[derive(Clone)]
pub(crate) struct System {
    /// The registry of users.
    pub(crate) registry: Arc<dyn Registry>,
    /// The audit of the system.
    pub(crate) audit: Arc<dyn SystemAudit>,
    /// Purges of users.
    pub(crate) purges: Arc<dyn Purges>,
    /// Vaults that are damaged.
    pub(crate) quarantine: Arc<dyn Quarantine>,
    /// Working memory.
    pub(crate) working: Arc<dyn WorkingMemory>,
    /// The credentials, and what is known of them.
    pub(crate) auth: Arc<Auth>,
    /// The queue, for its numbers and for purges.
    pub(crate) queue: Queue,
    /// The queue of the embedder, for its numbers; `None` while embeddings are off.
    pub(crate) embed_queue: Option<Queue>,
    /// The keys of the data folder, for what is shown of their rings.
    pub(crate) keys: Keys,
    /// What signs checkpoints; `None` while encryption is off.
    pub(crate) signer: Option<Arc<dyn Signer>>,
}

/// A call that may be made. Its place among the calls is given back when this is dropped.
pub(crate) struct Entered<M, U = UserId> {
    /// What was asked.
    pub(crate) message: M,
    /// For whom.
    pub(crate) user: U,
    /// The use cases, for this caller.
    pub(crate) app: App,
    /// What is there once for all users.
    pub(crate) system: System,
    /// Who calls.
    pub(crate) caller: Arc<Caller>,
    /// The trace that work which follows from this call continues.
    pub(crate) traceparent: Option<String>,
    _place: Place,
}

impl Api {
    /// Has the system read turns, these or all that are due, for a caller who reaches all that may come of it; for others
    /// its job does.
    pub(crate) async fn extract_turns(
        &self,
        user: &UserId,
        caller: &Caller,
        only: &[MemoryId],
    ) -> Result<Vec<ReadTurn>, Error> {
        let app = &self.core.app;
        let waits = app.defaults.extraction.on && caller.grant.rows.are_all();
        if waits { app.extract_turns(user, only).await } else { Ok(Vec::new()) }
    }

    /// Lets a call in that is about one user, if its caller may make it and as soon as there is a place.
    pub(crate) async fn enter<M: OfUser + Message>(&self, request: Request<M>) -> Result<Entered<M>, Status> {
        let user = UserId::parse(request.get_ref().user()).map_err(status::status)?;
        let caller = self.may(request.extensions(), Some(&user), request.get_ref())?;
        let rule = rule(request.extensions());
        let entered = self.entered(request, user, caller).await?;
        self.note_read(rule, &entered.user, &entered.caller, entered.message.subject()).await;
        Ok(entered)
    }

    /// Lets a call in that names a user or is about the whole system.
    pub(crate) async fn enter_any<M: OfUser + Message>(
        &self,
        request: Request<M>,
    ) -> Result<Entered<M, Option<UserId>>, Status> {
        let user = user_or_none(request.get_ref())?;
        let caller = self.may(request.extensions(), user.as_ref(), request.get_ref())?;
        let rule = rule(request.extensions());
        let entered = self.entered(request, user, caller).await?;
        if let Some(user) = &entered.user {
            self.note_read(rule, user, &entered.caller, entered.message.subject()).await;
        }
        Ok(entered)
    }

    /// Has a read told in the audit of the vault that it reads, whatever it finds there; that of an agent with what it is
    /// about, if that is an id such as Kimberly gives.
    pub(super) async fn note_read(&self, rule: Option<&'static Rule>, user: &UserId, caller: &Caller, subject: &str) {
        let Some(rule) = rule else { return };
        if matches!(rule.operation, Some(Operation::Read | Operation::Export)) {
            let at = self.core.app.clock.now();
            let subject = (caller.agent && is_given_id(subject)).then_some(subject);
            self.touches.reads.note(user, Read { caller, rpc: rule.rpc, at, subject }).await;
        }
    }

    /// The caller of a request, if it may make it for this user; told if not.
    pub(super) fn may(
        &self,
        extensions: &Extensions,
        user: Option<&UserId>,
        asked: &impl OfUser,
    ) -> Result<Arc<Caller>, Status> {
        may(extensions, user, asked.subject()).inspect_err(|_| {
            if let (Some(caller), Some(rule)) = (extensions.get::<Arc<Caller>>(), rule(extensions)) {
                self.refusals.denied(caller.actor(), rule.rpc, user);
            }
        })
    }

    async fn entered<M: OfUser + Message, U>(
        &self,
        request: Request<M>,
        user: U,
        caller: Arc<Caller>,
    ) -> Result<Entered<M, U>, Status> {
        let place = self.calls.place(&request).await?;
        let traceparent = trace_context::traceparent(request.metadata());
        let app = self.core.app.clone().with_caller(Arc::clone(&caller));
        let (message, system) = (request.into_inner(), self.core.system.clone());
        Ok(Entered { message, user, app, system, caller, traceparent, _place: place })
    }
}

/// The user whom a request names, if it names one.
pub(super) fn user_or_none(request: &impl OfUser) -> Result<Option<UserId>, Status> {
    let named = request.user();
    if named.is_empty() { Ok(None) } else { UserId::parse(named).map(Some).map_err(status::status) }
}

/// The rule of a request, which the guard puts on everything that it lets through.
pub(super) fn rule(extensions: &Extensions) -> Option<&'static Rule> {
    extensions.get::<&'static Rule>().copied()
}

/// The caller of a request, if it may make it for this user, about this subject.
fn may(extensions: &Extensions, user: Option<&UserId>, subject: &str) -> Result<Arc<Caller>, Status> {
    let caller = extensions.get::<Arc<Caller>>();
    let rule = rule(extensions).ok_or_else(|| refused(Refusal::Denied))?;
    decide(rule, caller.map(Arc::as_ref), user, subject).map_err(refused)?;
    caller.cloned().ok_or_else(|| refused(Refusal::Unauthenticated))
}

/// A refusal as a status: the same for every user, whether there is one or not.
pub(crate) fn refused(refusal: Refusal) -> Status {
    status::status(match refusal {
        Refusal::Unauthenticated => Error::Unauthenticated,
        Refusal::Denied => Error::Denied,
    })
}
