//! Authenticates callers. Credentials are checked here before anything else, in every dialect.

mod jwt;
mod known;
mod last_use;
mod local_admin;
mod session;

use std::sync::Arc;
use std::time::Duration;

use http::HeaderMap;
use http::header::AUTHORIZATION;
use kimberly_core::access::{ApiKey, Caller, CallerKind, Credential, LOCAL_ADMIN, ListedCredential};
use kimberly_core::error::Entity;
use kimberly_core::ports::{Clock, Credentials};
use kimberly_core::{Error, Result, UserId};
use kimberly_runtime::Failure;
use kimberly_runtime::config::{AuthConfig, AuthMode};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

pub(crate) use jwt::Tokens;
#[cfg(feature = "fuzzing")]
pub(crate) use jwt::jwk_set_is_good;
use known::{Asked, Known};
use last_use::LastUse;
pub use local_admin::LocalAdmin;
pub(crate) use local_admin::{random_id, random_secret};
pub(crate) use session::Session;
use session::Shown;

use crate::tls::Peer;

/// The scheme of a credential in a header, in lower case. Matched case-insensitively.
const SCHEME: &str = "bearer ";

/// Checks credentials. Shared by all parts that serve requests.
pub struct Auth {
    mode: AuthMode,
    /// The user of calls that need one and name none.
    default_user: Option<UserId>,
    recheck: Duration,
    /// The credentials.
    pub(crate) credentials: Arc<dyn Credentials>,
    clock: Arc<dyn Clock>,
    local_admin: Option<LocalAdmin>,
    tokens: Option<Tokens>,
    known: Known,
    uses: LastUse,
    open: Arc<Caller>,
    /// Keys with unknown ids are compared with this credential, which admits no key.
    nobody: Credential,
    /// Notified when this process has changed a credential.
    changed: Notify,
}

impl Auth {
    /// Creates the checker as configured. Fails if the keys for tokens cannot be read.
    pub fn new(
        credentials: Arc<dyn Credentials>,
        clock: Arc<dyn Clock>,
        local_admin: Option<LocalAdmin>,
        config: &AuthConfig,
    ) -> std::result::Result<Arc<Self>, Failure> {
        Ok(Arc::new(Self {
            mode: config.mode,
            default_user: config.implied_user(),
            recheck: config.recheck.0,
            known: Known::new(Arc::clone(&credentials), config.recheck.0),
            uses: LastUse::default(),
            credentials,
            clock,
            local_admin,
            tokens: Tokens::load(&config.jwt)?,
            open: Arc::new(Caller::open()),
            nobody: Credential::unusable(),
            changed: Notify::new(),
        }))
    }

    /// Authenticates a request by its headers and the peer of its connection. A credential that is sent is checked even
    /// if none is required. All failures give the same error. A key or token takes precedence over the certificate, but
    /// with an expired certificate every request fails.
    pub(crate) async fn authenticate(
        self: &Arc<Self>,
        headers: &HeaderMap,
        peer: Option<&Arc<Peer>>,
    ) -> Result<Session> {
        let mut sent = headers.get_all(AUTHORIZATION).iter();
        if peer.is_some_and(|peer| peer.ends_at <= self.clock.now()) {
            return Err(Error::Unauthenticated);
        }
        let shown = match (sent.next(), peer) {
            (Some(shown), _) => {
                shown.to_str().ok().and_then(bearer).and_then(Shown::read).filter(|_| sent.next().is_none())
            }
            (None, Some(peer)) => Some(Shown::Certificate(Arc::clone(peer))),
            (None, None) if self.mode == AuthMode::Open => {
                return Ok(Session::open(&self.open, self.default_user.clone()));
            }
            (None, None) => None,
        };
        let shown = shown.ok_or(Error::Unauthenticated)?;
        let caller = self.caller(&shown).await?;
        if let CallerKind::Key(id) | CallerKind::Certificate(id) = caller.kind {
            self.uses.note(id, self.clock.now());
        }
        Ok(Session::of(caller, shown, Arc::clone(self)))
    }

    /// Returns the caller that a credential authenticates, if it is valid now.
    async fn caller(&self, shown: &Shown) -> Result<Arc<Caller>> {
        match (shown, &self.tokens) {
            (Shown::Key(key), _) => self.holder(key).await,
            (Shown::Token(token), Some(tokens)) => tokens.caller(token, self.clock.now()),
            (Shown::Token(_), None) => Err(Error::Unauthenticated),
            (Shown::Certificate(peer), _) => self.named(peer).await,
        }
    }

    /// Returns the holder of a key, if the key is valid now.
    async fn holder(&self, key: &ApiKey) -> Result<Arc<Caller>> {
        let now = self.clock.now();
        match self.known.find(&Asked::Key(key.id())).await? {
            Some(known) if known.credential.admits(key, now) => Ok(known.caller),
            Some(_) => Err(Error::Unauthenticated),
            None => {
                // Does the same work as for a wrong secret.
                std::hint::black_box(self.nobody.admits(key, now));
                Err(Error::Unauthenticated)
            }
        }
    }

    /// Returns the holder of the credential that a certificate names, if both are valid now.
    async fn named(&self, peer: &Peer) -> Result<Arc<Caller>> {
        let now = self.clock.now();
        let name = peer.name.as_ref().filter(|_| peer.ends_at > now).ok_or(Error::Unauthenticated)?;
        let known = self.known.find(&Asked::Certificate(name.clone())).await?;
        let good = known.filter(|known| known.credential.admits_certificate(name, now));
        good.map(|known| known.caller).ok_or(Error::Unauthenticated)
    }

    /// Removes a credential that this process has changed from the cache. Streams check theirs at once.
    pub(crate) fn forget(&self, credential: &Credential) {
        self.known.forget(&Asked::Key(credential.id));
        if let Some(name) = &credential.certificate {
            self.known.forget(&Asked::Certificate(name.clone()));
        }
        self.changed.notify_waiters();
    }

    /// Replaces the key of the account that runs the service, in its file. Fails if the account has no key.
    pub(crate) async fn renew_local_admin(&self) -> Result<ListedCredential> {
        let missing = || Error::NotFound { entity: Entity::Credential, id: LOCAL_ADMIN.to_owned() };
        let local = self.local_admin.as_ref().ok_or_else(missing)?;
        let (before, renewed) = local.renew(&*self.credentials, &*self.clock).await?;
        if let Some(before) = before {
            self.known.forget(&Asked::Key(before));
        }
        self.forget(&renewed.credential);
        Ok(renewed)
    }

    /// Completes when a stream should check its credential again.
    async fn time_to_look(&self) {
        /// Streams check no more often than this, however short the recheck time is.
        const AT_MOST_EVERY: Duration = Duration::from_millis(100);
        let _ = tokio::time::timeout(self.recheck.max(AT_MOST_EVERY), self.changed.notified()).await;
    }

    /// Records when credentials were used, and reloads changed keys for tokens, until `stop`. Then writes once more.
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

/// Returns the text after the scheme.
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
