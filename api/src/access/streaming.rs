//! The way in for streams: for those whose request names the user, and for those that say it in their first message.

use std::sync::Arc;

use kimberly_core::UserId;
use kimberly_core::access::{Caller, Rule};
use kimberly_core::usecases::App;
use prost::Message;
use tonic::{Extensions, Request, Status};

use super::enter::{System, rule, user_or_none};
use crate::calls::{self, OfUser};
use crate::streams::Running;
use crate::{Api, status};

/// A stream that may be served.
pub(crate) struct EnteredStream<M, U = UserId> {
    /// What was asked.
    pub(crate) message: M,
    /// For whom.
    pub(crate) user: U,
    /// The use cases, for this caller.
    pub(crate) app: App,
    /// What is there once for all users.
    pub(crate) system: System,
    /// The stream's place and its end.
    pub(crate) running: Running,
    /// Who asks.
    pub(crate) caller: Arc<Caller>,
}

/// A stream whose user is not known yet.
pub(crate) struct Beginning {
    api: Api,
    /// The rule and the caller of the stream.
    extensions: Extensions,
}

/// What such a stream may do once its user is known.
pub(crate) struct Begun {
    /// For whom.
    pub(crate) user: UserId,
    /// The use cases, for this caller.
    pub(crate) app: App,
    /// Who sends.
    pub(crate) caller: Arc<Caller>,
}

impl Api {
    /// Lets a stream in, if its caller may have it and there is a place.
    pub(crate) async fn enter_stream<M: OfUser + Message>(
        &self,
        request: Request<M>,
    ) -> Result<EnteredStream<M>, Status> {
        let user = UserId::parse(request.get_ref().user()).map_err(status::status)?;
        let caller = self.may(request.extensions(), Some(&user), request.get_ref())?;
        let rule = rule(request.extensions());
        let entered = self.entered_stream(request, user, Arc::clone(&caller))?;
        self.note_read(rule, &entered.user, &caller, entered.message.subject()).await;
        Ok(entered)
    }

    /// Lets a stream in that names a user or is about the whole system.
    pub(crate) async fn enter_any_stream<M: OfUser + Message>(
        &self,
        request: Request<M>,
    ) -> Result<EnteredStream<M, Option<UserId>>, Status> {
        let user = user_or_none(request.get_ref())?;
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
        let place = self.calls.stream(request.get_ref())?;
        calls::charge(&request)?;
        let mut running = Running::without_place(self, request.extensions());
        running.take(place);
        let (app, system) = (self.core.app.clone().with_caller(Arc::clone(&caller)), self.core.system.clone());
        Ok(EnteredStream { message: request.into_inner(), user, app, system, running, caller })
    }

    /// Begins a stream that names its user in its first message, without a place.
    pub(crate) fn begin_stream(&self, from: &Extensions) -> (Beginning, Running) {
        let mut extensions = Extensions::new();
        if let Some(rule) = from.get::<&'static Rule>() {
            extensions.insert(*rule);
        }
        if let Some(caller) = from.get::<Arc<Caller>>() {
            extensions.insert(Arc::clone(caller));
        }
        (Beginning { api: self.clone(), extensions }, Running::without_place(self, from))
    }
}

impl Beginning {
    /// Lets the stream in, if its caller may have it for this user and there is a place, which it takes.
    pub(crate) fn of_user(&self, first: &impl OfUser, running: &mut Running) -> Result<Begun, Status> {
        let user = UserId::parse(first.user()).map_err(status::status)?;
        let caller = self.api.may(&self.extensions, Some(&user), first)?;
        running.take(self.api.calls.stream(first)?);
        let app = self.api.core.app.clone().with_caller(Arc::clone(&caller));
        Ok(Begun { user, app, caller })
    }
}
