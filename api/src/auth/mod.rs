//! Who calls: credentials are checked here, in front of everything else and in any dialect.

mod jwt;
mod known;
mod last_use;
mod local_admin;
mod session;

use std::sync::Arc;
use std::time::Duration;

use http::HeaderMap;
use http::header::AUTHORIZATION;
use kimberly_core::access::{ApiKey, Caller, Credential, CredentialId, LOCAL_ADMIN, ListedCredential};
use kimberly_core::error::Entity;
use kimberly_core::ports::{Clock, Credentials};
use kimberly_core::{Error, Result};
use kimberly_runtime::Failure;
use kimberly_runtime::config::{AuthConfig, AuthMode};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

pub(crate) use jwt::Tokens;
#[cfg(feature = "fuzzing")]
pub(crate) use jwt::jwk_set_is_good;
use known::Known;
use last_use::LastUse;
pub use local_admin::LocalAdmin;
pub(crate) use local_admin::{random_id, random_secret};
pub(crate) use session::Session;
use session::Shown;

/// What a credential in a header begins with, in any case.
const SCHEME: &str = "bearer ";

/// Checks credentials. Shared by everything that serves.
pub struct Auth {
    mode: AuthMode,
    recheck: Duration,
    /// The credentials.
    pub(crate) credentials: Arc<dyn Credentials>,
    clock: Arc<dyn Clock>,
    local_admin: Option<LocalAdmin>,
    tokens: Option<Tokens>,
    known: Known,
    uses: LastUse,
    open: Arc<Caller>,
    /// What keys of unknown ids are compared with; it admits none.
    nobody: Credential,
    /// Told after a credential was changed by this process.
    changed: Notify,
}

impl Auth {
    /// Checks credentials as configured; fails if the keys for tokens cannot be read.
    pub fn new(
        credentials: Arc<dyn Credentials>,
        clock: Arc<dyn Clock>,
        local_admin: Option<LocalAdmin>,
        config: &AuthConfig,
    ) -> std::result::Result<Arc<Self>, Failure> {
        Ok(Arc::new(Self {
            mode: config.mode,
            recheck: config.recheck.0,
            known: Known::new(Arc::clone(&credentials), config.recheck.0),
            uses: LastUse::default(),
            credentials,
            clock,
            local_admin,
            tokens: Tokens::load(&config.jwt)?,
            open: Arc::new(Caller::open()),
            nobody: Credential::of_nobody(),
            changed: Notify::new(),
        }))
    }

    /// Who sends a request with these headers. A credential that is sent is checked, also where none is asked for; whatever
    /// is wrong with it, the answer is the same.
    pub(crate) async fn authenticate(self: &Arc<Self>, headers: &HeaderMap) -> Result<Session> {
        let mut sent = headers.get_all(AUTHORIZATION).iter();
        let Some(shown) = sent.next() else {
            return match self.mode {
                AuthMode::Open => Ok(Session::open(&self.open)),
                AuthMode::Required => Err(Error::Unauthenticated),
            };
        };
        let shown = shown.to_str().ok().and_then(bearer).and_then(Shown::read).filter(|_| sent.next().is_none());
        let shown = shown.ok_or(Error::Unauthenticated)?;
        let caller = self.caller(&shown).await?;
        if let Shown::Key(key) = &shown {
            self.uses.note(key.id(), self.clock.now());
        }
        Ok(Session::of(caller, shown, Arc::clone(self)))
    }

    /// The holder of what is shown, if that is good now.
    async fn caller(&self, shown: &Shown) -> Result<Arc<Caller>> {
        match (shown, &self.tokens) {
            (Shown::Key(key), _) => self.holder(key).await,
            (Shown::Token(token), Some(tokens)) => tokens.caller(token, self.clock.now()),
            (Shown::Token(_), None) => Err(Error::Unauthenticated),
        }
    }

    /// The holder of a key that is good now.
    async fn holder(&self, key: &ApiKey) -> Result<Arc<Caller>> {
        let now = self.clock.now();
        match self.known.find(key.id()).await? {
            Some(known) if known.credential.admits(key, now) => Ok(known.caller),
            Some(_) => Err(Error::Unauthenticated),
            None => {
                // The same work as for a secret that is wrong.
                std::hint::black_box(self.nobody.admits(key, now));
                Err(Error::Unauthenticated)
            }
        }
    }

    /// Forgets what is known of a credential, since this process has changed it; streams look at once.
    pub(crate) fn forget(&self, id: CredentialId) {
        self.known.forget(id);
        self.changed.notify_waiters();
    }

    /// Gives the account that runs the service another key, in its file. Fails if it has none.
    pub(crate) async fn renew_local_admin(&self) -> Result<ListedCredential> {
        let missing = || Error::NotFound { entity: Entity::Credential, id: LOCAL_ADMIN.to_owned() };
        let local = self.local_admin.as_ref().ok_or_else(missing)?;
        let (before, renewed) = local.renew(&*self.credentials, &*self.clock).await?;
        for id in before.into_iter().chain([renewed.credential.id]) {
            self.forget(id);
        }
        Ok(renewed)
    }

    /// Resolves when a stream should look again whether its credential is good.
    async fn time_to_look(&self) {
        /// However short the time after which credentials are read again, streams that wait look no more often.
        const AT_MOST_EVERY: Duration = Duration::from_millis(100);
        let _ = tokio::time::timeout(self.recheck.max(AT_MOST_EVERY), self.changed.notified()).await;
    }

    /// Until `stop`, and once more then: writes when credentials were used, and takes the keys for tokens that change.
    pub async fn run(self: Arc<Self>, stop: CancellationToken) {
        let tokens = async {
            if let Some(tokens) = &self.tokens {
                tokens.watch(&stop, || self.changed.notify_waiters()).await;
            }
        };
        tokio::join!(self.uses.run(&*self.credentials, &stop), tokens);
    }
}

impl std::fmt::Debug for Auth {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Auth").field("mode", &self.mode).finish_non_exhaustive()
    }
}

/// What stands behind the scheme.
fn bearer(shown: &str) -> Option<&str> {
    let (scheme, rest) = shown.split_at_checked(SCHEME.len())?;
    scheme.eq_ignore_ascii_case(SCHEME).then(|| rest.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_scheme_bearer_is_read() {
        assert_eq!(bearer("Bearer kmb_x"), Some("kmb_x"));
        assert_eq!(bearer("bEARER  kmb_x "), Some("kmb_x"));
        for other in ["", "Bearer", "Basic kmb_x", "kmb_x", "Bearerkmb_x", "Béarer kmb_x"] {
            assert_eq!(bearer(other), None, "{other}");
        }
    }
}
