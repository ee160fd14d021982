//! Admits streams: those whose request names the user, and those that name the user in their first message.

use std::sync::Arc;

use kimberly_core::UserId;
use kimberly_core::access::{Caller, Rule};
use kimberly_core::usecases::App;
use prost::Message;
use tonic::{Extensions, Request, Status};

use super::enter::{System, implied_user, only_user, rule, user_of, user_or_none};
use crate::Api;
use crate::auth::Session;
use crate::calls::{self, OfUser};
use crate::streams::Running;

/// A stream that passed the access decision.
pub(crate) struct EnteredStream<M, U = UserId> {
    /// The request.
    pub(crate) message: M,
    /// The user that the stream is about.
    pub(crate) user: U,
    /// The use cases, for this caller.
    pub(crate) app: App,
    /// The parts that exist once for all users.
    pub(crate) system: System,
    /// The stream's permit, and the signals that end it.
    pub(crate) running: Running,
    /// The caller.
    pub(crate) caller: Arc<Caller>,
}

/// A stream whose user is not known yet.
pub(crate) struct Beginning {
    api: Api,
    /// Holds the rule, the caller and the session of the stream.
    extensions: Extensions,
}

/// A stream whose first message named a user that its caller may reach.
pub(crate) struct Begun {
    /// The user that the stream is about.
    pub(crate) user: UserId,
    /// The use cases, for this caller.
    pub(crate) app: App,
    /// The caller.
    pub(crate) caller: Arc<Caller>,
}

impl Api {
    /// Admits a stream, if its caller may make the call and a permit is free.
    pub(crate) async fn enter_stream<M: OfUser + Message>(
        &self,
        mut request: Request<M>,
    ) -> Result<EnteredStream<M>, Status> {
        let implied = implied_user(request.extensions());
        let user = user_of(request.get_mut(), implied)?;
        let caller = self.may(request.extensions(), Some(&user), request.get_ref())?;
        let rule = rule(request.extensions());
        let entered = self.entered_stream(request, user, Arc::clone(&caller))?;
        self.note_read(rule, &entered.user, &caller, entered.message.subject()).await;
        Ok(entered)
    }

    /// Admits a stream that names a user or concerns the whole system.
    pub(crate) async fn enter_any_stream<M: OfUser + Message>(
        &self,
        mut request: Request<M>,
    ) -> Result<EnteredStream<M, Option<UserId>>, Status> {
        let only = only_user(request.extensions());
        let user = user_or_none(request.get_mut(), only)?;
        let caller = self.may(request.extensions(), user.as_ref(), request.get_ref())?;
        let rule = rule(request.extensions());
        let entered = self.entered_stream(request, user, Arc::clone(&caller))?;
        if let Some(user) = &entered.user {
            self.note_read(rule, user, &caller, entered.message.subject()).await;
        }
        Ok(entered)
    }

    fn entered_stream<M: OfUser + Message, U>(
        &self,
        request: Request<M>,
        user: U,
        caller: Arc<Caller>,
    ) -> Result<EnteredStream<M, U>, Status> {
        let permit = self.calls.stream(request.get_ref())?;
        calls::charge(&request)?;
        let mut running = Running::without_permit(self, request.extensions());
        running.take(permit);
        let (app, system) = (self.core.app.clone().with_caller(Arc::clone(&caller)), self.core.system.clone());
        Ok(EnteredStream { message: request.into_inner(), user, app, system, running, caller })
    }

    /// Starts a stream that names its user in its first message. It has no permit yet.
    pub(crate) fn begin_stream(&self, from: &Extensions) -> (Beginning, Running) {
        let mut extensions = Extensions::new();
        if let Some(rule) = from.get::<&'static Rule>() {
            extensions.insert(*rule);
        }
        if let Some(caller) = from.get::<Arc<Caller>>() {
            extensions.insert(Arc::clone(caller));
        }
        if let Some(session) = from.get::<Session>() {
            extensions.insert(session.clone());
        }
        (Beginning { api: self.clone(), extensions }, Running::without_permit(self, from))
    }
}

impl Beginning {
    /// Admits the stream, if its caller may make the call for this user and a permit is free. Takes that permit.
    pub(crate) fn of_user(&self, first: &mut impl OfUser, running: &mut Running) -> Result<Begun, Status> {
        let user = user_of(first, implied_user(&self.extensions))?;
        let caller = self.api.may(&self.extensions, Some(&user), first)?;
        running.take(self.api.calls.stream(first)?);
        let app = self.api.core.app.clone().with_caller(Arc::clone(&caller));
        Ok(Begun { user, app, caller })
    }
}
