//! Gives a key a new secret.

use super::{NewKey, not_found, refuse_local_admin};
use crate::access::{ApiKey, Credential, CredentialKind, CredentialName, KeySecret};
use crate::bounds::MAX_KEY_OVERLAP;
use crate::boxed;
use crate::error::{Error, Result};
use crate::ports::Credentials;
use crate::time::Span;
use crate::usecases::App;

/// How long the old secret is accepted by default.
pub const DEFAULT_OVERLAP: Span = Span::days(1);

/// The key to rotate, and the options.
#[derive(Clone, Debug)]
pub struct RotateKeyInput {
    /// The key.
    pub name: CredentialName,
    /// How long the old secret is still accepted, 0 to 7 days.
    pub overlap: Span,
    /// Fresh random bytes for the new secret.
    pub random_secret: KeySecret,
    /// Hash of the secret that the caller presented, if it presented a key.
    pub shown: Option<[u8; 32]>,
}

impl App {
    /// Gives a key a new secret. Its grant and its expiry stay as they are. Its holder may do so too, but only with the
    /// latest secret: a replaced one expires at the announced time, and cannot be exchanged for one that lasts. Fails for
    /// the key of the account that runs the service, whose secret lies in a file.
    #[boxed]
    pub async fn rotate_key(&self, credentials: &dyn Credentials, input: RotateKeyInput) -> Result<NewKey> {
        let (name, now) = (&input.name, self.clock.now());
        refuse_local_admin(name, "only the api rotates it, in its file")?;
        if !(Span(0)..=MAX_KEY_OVERLAP).contains(&input.overlap) {
            return Err(Error::invalid("overlap", "is out of bounds; 0 s to 7 days are allowed"));
        }
        let found = credentials.by_name(name).await?.ok_or_else(|| not_found(name))?.credential;
        if found.kind == CredentialKind::Certificate {
            let problem = "names a certificate, which has no secret here; get a new certificate of the same \
                           name from its authority";
            return Err(Error::conflict("name", problem));
        }
        if !found.is_live(now) {
            return Err(Error::conflict("name", "is of a key that is revoked or has expired; create another one"));
        }
        if self.caller.as_ref().is_some_and(|maker| !maker.grant.covers(&found.grant)) {
            return Err(Error::Denied);
        }
        if self.caller.as_ref().is_some_and(|caller| caller.is_key_named(name.as_str())) {
            refuse_replaced(&found, input.shown)?;
        }
        let key = ApiKey::new(found.id, input.random_secret);
        let until = now.plus(input.overlap);
        if !credentials.replace_secret(name, &found.secret_hash, &key.secret_hash(), until, &self.by()).await? {
            return Err(Error::EtagMismatch { current: String::new() });
        }
        let listed = credentials.by_name(name).await?.ok_or_else(|| not_found(name))?;
        Ok(NewKey { listed, key: Some(key) })
    }
}

/// Fails if a holder presents a secret of the key that has been replaced.
fn refuse_replaced(found: &Credential, shown: Option<[u8; 32]>) -> Result<()> {
    if shown == Some(found.secret_hash) {
        return Ok(());
    }
    Err(Error::conflict("name", "names a key that was rotated; call with its newest secret to rotate it again"))
}
