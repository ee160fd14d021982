//! A call's credential for as long as the call lasts. Long calls check again whether it is valid.

use std::sync::Arc;

use kimberly_core::UserId;
use kimberly_core::access::{ApiKey, Caller};
use tonic::Status;

use super::Auth;
use crate::status;
use crate::tls::Peer;

/// The caller, and the credential they presented.
#[derive(Clone)]
pub(crate) struct Session {
    caller: Arc<Caller>,
    shown: Option<Arc<(Shown, Arc<Auth>)>>,
    /// The server's default user, if it has one.
    default_user: Option<UserId>,
}

/// A credential that a caller presents.
pub(super) enum Shown {
    /// A key.
    Key(ApiKey),
    /// A signed token, or text in the form of one.
    Token(Box<str>),
    /// The verified certificate of the connection.
    Certificate(Arc<Peer>),
}

impl Shown {
    /// Parses a key or a token. Returns `None` for anything else. A token has three parts,
    /// separated by dots; a key does not.
    pub(super) fn read(text: &str) -> Option<Self> {
        let key = || ApiKey::parse(text).map(Self::Key);
        if text.split('.').count() == 3 { Some(Self::Token(text.into())) } else { key() }
    }
}

impl Session {
    /// Creates the session of a caller without a credential, if none is required.
    pub(super) fn open(caller: &Arc<Caller>, default_user: Option<UserId>) -> Self {
        Self { caller: Arc::clone(caller), shown: None, default_user }
    }

    /// Creates the session of a caller with a valid credential.
    pub(super) fn of(caller: Arc<Caller>, shown: Shown, auth: Arc<Auth>) -> Self {
        let default_user = auth.default_user.clone();
        Self { caller, shown: Some(Arc::new((shown, auth))), default_user }
    }

    /// Returns the caller.
    pub(crate) fn caller(&self) -> &Arc<Caller> {
        &self.caller
    }

    /// Returns the user of a call that names none: the only one that the credential reaches, else the server's default.
    pub(crate) fn implied_user(&self) -> Option<UserId> {
        self.only_user().or_else(|| self.default_user.clone())
    }

    /// Returns the user that the credential reaches, if there is just one.
    pub(crate) fn only_user(&self) -> Option<UserId> {
        self.caller.grant.users.only_user().cloned()
    }

    /// Returns the hash of the presented secret, if the credential is a key.
    pub(crate) fn secret_hash(&self) -> Option<[u8; 32]> {
        match self.shown.as_deref() {
            Some((Shown::Key(key), _)) => Some(key.secret_hash()),
            _ => None,
        }
    }

    /// Fails if the credential is no longer valid.
    pub(crate) async fn check(&self) -> Result<(), Status> {
        match self.shown.as_deref() {
            Some((shown, auth)) => auth.caller(shown).await.map(drop).map_err(status::status),
            None => Ok(()),
        }
    }

    /// Waits until the credential is no longer valid, and returns the status for that.
    pub(crate) async fn ended(&self) -> Status {
        let Some((_, auth)) = self.shown.as_deref() else { return std::future::pending().await };
        loop {
            auth.time_to_look().await;
            if let Err(ended) = self.check().await {
                return ended;
            }
        }
    }
}
