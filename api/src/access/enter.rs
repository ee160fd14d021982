//! The only way from a decoded request to the use cases. [`Api::enter`] is the only source of an [`App`], so a handler
//! that skips the access decision does not compile.

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

use crate::auth::{Auth, Session};
use crate::calls::{OfUser, Permit};
use crate::reads::Read;
use crate::{Api, status, trace_context};

/// The ports that exist once for all users: the registry, the system's audit, purges, quarantine and working memory.
pub(crate) type OfSystem =
    (Arc<dyn Registry>, Arc<dyn SystemAudit>, Arc<dyn Purges>, Arc<dyn Quarantine>, Arc<dyn WorkingMemory>);

/// The use cases and the parts of the system. Private to this folder.
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

    /// Adds the embedder's queue.
    pub(crate) fn with_embeddings(&mut self, queue: Queue) {
        self.system.embed_queue = Some(queue);
    }

    /// Adds the keys of the data folder.
    pub(crate) fn with_keys(&mut self, keys: Keys) {
        self.system.keys = keys;
    }

    /// Adds the signer of checkpoints.
    pub(crate) fn with_signer(&mut self, signer: Arc<dyn Signer>) {
        self.system.signer = Some(signer);
    }

    /// Returns the signer, which also verifies signatures. `None` if nothing is signed.
    pub(crate) fn signer(&self) -> Option<&dyn Signer> {
        self.system.signer.as_deref()
    }

    /// Returns the checker of credentials.
    pub(crate) fn auth(&self) -> &Arc<Auth> {
        &self.system.auth
    }

    /// Returns the operator's configuration.
    pub(crate) fn defaults(&self) -> &kimberly_core::settings::ServerDefaults {
        &self.app.defaults
    }
}

/// The parts of the process that exist once for all users.
#[derive(Clone)]
pub(crate) struct System {
    /// The registry of users.
    pub(crate) registry: Arc<dyn Registry>,
    /// The system's audit.
    pub(crate) audit: Arc<dyn SystemAudit>,
    /// Purges of users.
    pub(crate) purges: Arc<dyn Purges>,
    /// The quarantine of damaged vaults.
    pub(crate) quarantine: Arc<dyn Quarantine>,
    /// Working memory.
    pub(crate) working: Arc<dyn WorkingMemory>,
    /// The credentials, and the cache of those in use.
    pub(crate) auth: Arc<Auth>,
    /// The queue, for its statistics and for purges.
    pub(crate) queue: Queue,
    /// The embedder's queue, for its statistics. `None` while embeddings are off.
    pub(crate) embed_queue: Option<Queue>,
    /// The keys of the data folder, to report on their rings.
    pub(crate) keys: Keys,
    /// The signer of checkpoints. `None` while encryption is off.
    pub(crate) signer: Option<Arc<dyn Signer>>,
}

/// A call that passed the access decision. Dropping it frees its permit.
pub(crate) struct Entered<M, U = UserId> {
    /// The request.
    pub(crate) message: M,
    /// The user that the call is about.
    pub(crate) user: U,
    /// The use cases, for this caller.
    pub(crate) app: App,
    /// The parts that exist once for all users.
    pub(crate) system: System,
    /// The caller.
    pub(crate) caller: Arc<Caller>,
    /// The trace that work resulting from this call continues.
    pub(crate) traceparent: Option<String>,
    _permit: Permit,
}

impl Api {
    /// Extracts memories from turns right away: from those in `only`, or from all due turns if that is empty. Does
    /// nothing if extraction is off or the caller's grant is limited to some memories; then the job does it.
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

    /// Admits a call about one user. Decides whether the caller may make it, then waits for a permit.
    pub(crate) async fn enter<M: OfUser + Message>(&self, mut request: Request<M>) -> Result<Entered<M>, Status> {
        let implied = implied_user(request.extensions());
        let user = user_of(request.get_mut(), implied)?;
        let caller = self.may(request.extensions(), Some(&user), request.get_ref())?;
        let rule = rule(request.extensions());
        let entered = self.entered(request, user, caller).await?;
        self.note_read(rule, &entered.user, &entered.caller, entered.message.subject()).await;
        Ok(entered)
    }

    /// Admits a call that names a user or concerns the whole system.
    pub(crate) async fn enter_any<M: OfUser + Message>(
        &self,
        mut request: Request<M>,
    ) -> Result<Entered<M, Option<UserId>>, Status> {
        let only = only_user(request.extensions());
        let user = user_or_none(request.get_mut(), only)?;
        let caller = self.may(request.extensions(), user.as_ref(), request.get_ref())?;
        let rule = rule(request.extensions());
        let entered = self.entered(request, user, caller).await?;
        if let Some(user) = &entered.user {
            self.note_read(rule, user, &entered.caller, entered.message.subject()).await;
        }
        Ok(entered)
    }

    /// Records a read in the audit of the vault, whatever the read finds. For an agent, also records the subject if it
    /// has the form of an id assigned by Kimberly.
    pub(super) async fn note_read(&self, rule: Option<&'static Rule>, user: &UserId, caller: &Caller, subject: &str) {
        let Some(rule) = rule else { return };
        if matches!(rule.operation, Some(Operation::Read | Operation::Export)) {
            let at = self.core.app.clock.now();
            let subject = (caller.agent && is_given_id(subject)).then_some(subject);
            self.touches.reads.note(user, Read { caller, rpc: rule.rpc, at, subject }).await;
        }
    }

    /// Returns the caller of a request if they may make it for this user. Records a refusal otherwise.
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
        let permit = self.calls.permit(&request).await?;
        let traceparent = trace_context::traceparent(request.metadata());
        let app = self.core.app.clone().with_caller(Arc::clone(&caller));
        let (message, system) = (request.into_inner(), self.core.system.clone());
        Ok(Entered { message, user, app, system, caller, traceparent, _permit: permit })
    }
}

/// Returns the user of calls that name none, unless the rule of this call demands a name.
pub(super) fn implied_user(extensions: &Extensions) -> Option<UserId> {
    let by_name = rule(extensions).is_none_or(|rule| rule.by_name);
    extensions.get::<Session>().filter(|_| !by_name)?.implied_user()
}

/// Returns the user of calls that name none and would otherwise concern the whole system.
pub(super) fn only_user(extensions: &Extensions) -> Option<UserId> {
    extensions.get::<Session>()?.only_user()
}

/// Returns the user that a request is about. From here on, the request names them.
pub(super) fn user_of(request: &mut impl OfUser, implied: Option<UserId>) -> Result<UserId, Status> {
    name(request, implied);
    UserId::parse(request.user()).map_err(status::status)
}

/// Returns the user that a request is about; `None` if it concerns the whole system.
pub(super) fn user_or_none(request: &mut impl OfUser, only: Option<UserId>) -> Result<Option<UserId>, Status> {
    name(request, only);
    let named = request.user();
    if named.is_empty() { Ok(None) } else { UserId::parse(named).map(Some).map_err(status::status) }
}

fn name(request: &mut impl OfUser, implied: Option<UserId>) {
    if let Some(user) = implied.filter(|_| request.user().is_empty()) {
        request.name_user(user);
    }
}

/// Returns the rule of a request, which the guard attaches to every request it admits.
pub(super) fn rule(extensions: &Extensions) -> Option<&'static Rule> {
    extensions.get::<&'static Rule>().copied()
}

/// Returns the caller of a request if they may make it for this user and subject.
fn may(extensions: &Extensions, user: Option<&UserId>, subject: &str) -> Result<Arc<Caller>, Status> {
    let caller = extensions.get::<Arc<Caller>>();
    let rule = rule(extensions).ok_or_else(|| refused(Refusal::Denied))?;
    decide(rule, caller.map(Arc::as_ref), user, subject).map_err(refused)?;
    caller.cloned().ok_or_else(|| refused(Refusal::Unauthenticated))
}

/// Converts a refusal to a status. The status is the same whether or not the user exists.
pub(crate) fn refused(refusal: Refusal) -> Status {
    status::status(match refusal {
        Refusal::Unauthenticated => Error::Unauthenticated,
        Refusal::Denied => Error::Denied,
    })
}
