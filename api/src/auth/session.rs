//! A call's credential for as long as the call lasts: what runs long asks again whether it is good.

use std::sync::Arc;

use kimberly_core::access::{ApiKey, Caller};
use tonic::Status;

use super::Auth;
use crate::status;

/// Who calls, and what shows it.
#[derive(Clone)]
pub(crate) struct Session {
    caller: Arc<Caller>,
    shown: Option<Arc<(ApiKey, Arc<Auth>)>>,
}

impl Session {
    /// Of a caller who showed nothing, where nothing is asked for.
    pub(super) fn open(caller: &Arc<Caller>) -> Self {
        Self { caller: Arc::clone(caller), shown: None }
    }

    /// Of a caller who showed a key.
    pub(super) fn of(caller: Arc<Caller>, key: ApiKey, auth: Arc<Auth>) -> Self {
        Self { caller, shown: Some(Arc::new((key, auth))) }
    }

    /// Who calls.
    pub(crate) fn caller(&self) -> &Arc<Caller> {
        &self.caller
    }

    /// Fails once the key is not good any more.
    pub(crate) async fn check(&self) -> Result<(), Status> {
        match self.shown.as_deref() {
            Some((key, auth)) => auth.caller(key).await.map(drop).map_err(status::status),
            None => Ok(()),
        }
    }

    /// Waits until the key is not good any more, and says so.
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
