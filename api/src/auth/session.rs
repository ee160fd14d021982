//! A call's credential for as long as the call lasts: what runs long asks again whether it is good.

use std::sync::Arc;

use kimberly_core::access::{ApiKey, Caller};
use tonic::Status;

use super::Auth;
use crate::status;
use crate::tls::Peer;

/// Who calls, and what shows it.
#[derive(Clone)]
pub(crate) struct Session {
    caller: Arc<Caller>,
    shown: Option<Arc<(Shown, Arc<Auth>)>>,
}

/// What a caller shows.
pub(super) enum Shown {
    /// A key.
    Key(ApiKey),
    /// A signed token, or what may be one.
    Token(Box<str>),
    /// The certificate of the connection, which was verified.
    Certificate(Arc<Peer>),
}

impl Shown {
    /// Tells keys and tokens apart; `None` for what is neither. A token has three parts, which keys have not.
    pub(super) fn read(text: &str) -> Option<Self> {
        let key = || ApiKey::parse(text).map(Self::Key);
        if text.split('.').count() == 3 { Some(Self::Token(text.into())) } else { key() }
    }
}

impl Session {
    /// Of a caller who showed nothing, where nothing is asked for.
    pub(super) fn open(caller: &Arc<Caller>) -> Self {
        Self { caller: Arc::clone(caller), shown: None }
    }

    /// Of a caller who showed something that is good.
    pub(super) fn of(caller: Arc<Caller>, shown: Shown, auth: Arc<Auth>) -> Self {
        Self { caller, shown: Some(Arc::new((shown, auth))) }
    }

    /// Who calls.
    pub(crate) fn caller(&self) -> &Arc<Caller> {
        &self.caller
    }

    /// The hash of the secret that was shown, if that is a key.
    pub(crate) fn secret_hash(&self) -> Option<[u8; 32]> {
        match self.shown.as_deref() {
            Some((Shown::Key(key), _)) => Some(key.secret_hash()),
            _ => None,
        }
    }

    /// Fails once what was shown is not good any more.
    pub(crate) async fn check(&self) -> Result<(), Status> {
        match self.shown.as_deref() {
            Some((shown, auth)) => auth.caller(shown).await.map(drop).map_err(status::status),
            None => Ok(()),
        }
    }

    /// Waits until what was shown is not good any more, and says so.
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
