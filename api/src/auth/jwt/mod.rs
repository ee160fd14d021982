//! Verifies signed tokens of the issuer that the operator trusts, offline with the issuer's public keys.

mod keys;
mod provider;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use hashlink::LruCache;
use jsonwebtoken::{Algorithm, Validation, decode, decode_header};
use kimberly_core::access::{Caller, ClaimedGrant};
use kimberly_core::time::{Span, Timestamp};
use kimberly_core::{Error, Result};
use kimberly_runtime::Failure;
use kimberly_runtime::config::JwtConfig;
use serde::Deserialize;
use sha2::{Digest as _, Sha256};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::stamp::Stamp;
use keys::KeySet;

/// Maximum length of a token, in bytes.
const MOST_BYTES: usize = 8 * 1024;
/// How long a valid token is cached without being checked again, unless the keys change. A check costs about 30 us.
const CACHED_FOR: Duration = Duration::from_mins(1);
/// Maximum number of cached tokens.
const MOST_CACHED: usize = 4_096;
/// Interval between checks whether the file has changed.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Checks tokens.
pub(crate) struct Tokens {
    issuer: String,
    audience: String,
    leeway: Span,
    max_lifetime: Span,
    file: PathBuf,
    keys: RwLock<Arc<KeySet>>,
    good: Mutex<Good>,
    /// The file's stamp at its first read.
    loaded: Vec<Stamp>,
}

/// The cache of valid tokens, by the hash of their text.
struct Good {
    cached: LruCache<[u8; 32], (Arc<Caller>, Instant)>,
    /// Counts changes of the keys, so that a token checked before a change is not cached after it.
    changes: u64,
}

#[derive(Deserialize)]
struct Claims {
    sub: String,
    iss: String,
    exp: u64,
    iat: Option<u64>,
    kimberly: Option<ClaimedGrant>,
}

impl Tokens {
    /// Loads the keys as configured. Returns `None` if tokens are not accepted.
    pub(crate) fn load(config: &JwtConfig) -> std::result::Result<Option<Self>, Failure> {
        let (Some(issuer), Some(audience), Some(file)) =
            (config.issuer.clone(), config.audience.clone(), config.jwks_file.clone())
        else {
            return Ok(None);
        };
        // Fails only if this process has installed it before, which is fine.
        let _ = provider::PROVIDER.install_default();
        let loaded = Stamp::now(std::slice::from_ref(&file));
        let keys = KeySet::read(&file).map_err(|problem| {
            Failure::new(
                format!("tokens cannot be checked: {problem}"),
                "put the issuer's JWK set into the file of auth.jwt.jwks_file",
            )
        })?;
        Ok(Some(Self {
            issuer,
            audience,
            leeway: config.leeway.span(),
            max_lifetime: config.max_lifetime.span(),
            file,
            keys: RwLock::new(Arc::new(keys)),
            good: Mutex::new(Good { cached: LruCache::new(MOST_CACHED), changes: 0 }),
            loaded,
        }))
    }

    /// Returns the caller that a token authenticates, if it is valid now.
    pub(crate) fn caller(&self, token: &str, now: Timestamp) -> Result<Arc<Caller>> {
        if token.len() > MOST_BYTES {
            return Err(Error::Unauthenticated);
        }
        let hash: [u8; 32] = Sha256::digest(token.as_bytes()).into();
        let (cached, changes) = {
            let mut good = self.good.lock().unwrap_or_else(PoisonError::into_inner);
            let cached = good.cached.get(&hash).filter(|(_, at)| at.elapsed() < CACHED_FOR);
            (cached.map(|(caller, _)| Arc::clone(caller)), good.changes)
        };
        let caller = if let Some(caller) = cached {
            caller
        } else {
            let caller = Arc::new(self.checked(token, now).ok_or(Error::Unauthenticated)?);
            let mut good = self.good.lock().unwrap_or_else(PoisonError::into_inner);
            if good.changes == changes {
                good.cached.insert(hash, (Arc::clone(&caller), Instant::now()));
            }
            caller
        };
        let over = caller.expires_at.is_none_or(|end| end.plus(self.leeway) <= now);
        if over { Err(Error::Unauthenticated) } else { Ok(caller) }
    }

    fn checked(&self, token: &str, now: Timestamp) -> Option<Caller> {
        let header = decode_header(token).ok()?;
        // No critical extension is supported.
        if header.crit.is_some() {
            return None;
        }
        let keys = Arc::clone(&self.keys.read().unwrap_or_else(PoisonError::into_inner));
        let key = keys.find(header.kid.as_deref()?)?;
        let claims = decode::<Claims>(token, &key.decoding, &self.validation(&key.algorithms)).ok()?.claims;
        let end = seconds(claims.exp)?;
        let begun = claims.iat.map_or(Some(now), seconds)?;
        let lasts_too_long = end.0.saturating_sub(begun.0.min(now.0)) > self.max_lifetime.0;
        if claims.iss != self.issuer || lasts_too_long || begun > now.plus(self.leeway) {
            return None;
        }
        Caller::of_token(&claims.sub, claims.kimberly, end)
    }

    fn validation(&self, algorithms: &[Algorithm]) -> Validation {
        let mut validation = Validation {
            algorithms: algorithms.to_vec(),
            leeway: u64::try_from(self.leeway.0 / Span::seconds(1).0).unwrap_or(0),
            validate_nbf: true,
            ..Validation::default()
        };
        validation.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
        validation.set_issuer(&[&self.issuer]);
        validation.set_audience(&[&self.audience]);
        validation
    }

    /// Reloads the keys when the file changes, until `stop`, and calls `changed` afterwards. If a changed file cannot
    /// be read, logs the problem once, keeps the old keys and retries.
    pub(super) async fn watch(&self, stop: &CancellationToken, changed: impl Fn()) {
        let mut seen = self.loaded.clone();
        let mut complained = None;
        while stop.run_until_cancelled(tokio::time::sleep(LOOK_EVERY)).await.is_some() {
            let now = Stamp::of_all([self.file.clone()]).await;
            if now == seen {
                continue;
            }
            match self.reload().await {
                Ok(()) => {
                    changed();
                    seen = now;
                }
                Err(problem) if complained.as_ref() != Some(&now) => {
                    tracing::warn!(
                        "auth.jwt.jwks_file has changed but cannot be used; the old keys stay in use: {problem}"
                    );
                    complained = Some(now);
                }
                Err(_) => {}
            }
        }
    }

    async fn reload(&self) -> std::result::Result<(), String> {
        let file = self.file.clone();
        let read = tokio::task::spawn_blocking(move || KeySet::read(&file)).await;
        let keys = read.unwrap_or_else(|_| Err("reading it panicked".to_owned()))?;
        *self.keys.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(keys);
        let mut good = self.good.lock().unwrap_or_else(PoisonError::into_inner);
        good.cached.clear();
        good.changes += 1;
        tracing::info!("loaded the changed keys from {}", self.file.display());
        Ok(())
    }
}

/// Reports whether these bytes are a valid JWK set.
#[cfg(feature = "fuzzing")]
pub(crate) fn jwk_set_is_good(bytes: &[u8]) -> bool {
    KeySet::parse(bytes).is_ok()
}

fn seconds(since_1970: u64) -> Option<Timestamp> {
    let micros = i64::try_from(since_1970).ok()?.checked_mul(Span::seconds(1).0)?;
    (Timestamp(micros) <= Timestamp::MAX).then_some(Timestamp(micros))
}

#[cfg(test)]
mod tests;
