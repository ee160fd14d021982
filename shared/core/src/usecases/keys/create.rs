//! Creates a key.

use super::NewKey;
use crate::access::{
    ApiKey, CertificateName, Credential, CredentialId, CredentialKind, CredentialName, Grant, KeySecret, LOCAL_ADMIN,
    ListedCredential, Operations, Rows, UserPatterns,
};
use crate::bounds::MAX_CREDENTIALS;
use crate::boxed;
use crate::error::{Error, Result};
use crate::ports::{Added, Credentials};
use crate::time::Timestamp;
use crate::usecases::App;

/// A key to create.
#[derive(Clone, Debug)]
pub struct CreateKeyInput {
    /// Its name.
    pub name: CredentialName,
    /// Users that it reaches.
    pub users: UserPatterns,
    /// The operations that it allows.
    pub operations: Operations,
    /// Memories that it reaches.
    pub rows: Rows,
    /// Whether its holder is a program that acts on its own.
    pub agent: bool,
    /// When it expires, if ever.
    pub expires_at: Option<Timestamp>,
    /// Name in a certificate that is used instead of a key; `None` to create a key.
    pub certificate: Option<CertificateName>,
    /// Fresh random bytes for its id.
    pub random_id: [u8; 8],
    /// Fresh random bytes for its secret.
    pub random_secret: KeySecret,
}

impl App {
    /// Creates a key, or registers a certificate. Neither may do more or last longer than the key that creates it.
    #[boxed]
    pub async fn create_key(&self, credentials: &dyn Credentials, input: CreateKeyInput) -> Result<NewKey> {
        let now = self.clock.now();
        let grant = Grant { users: input.users, operations: input.operations, rows: input.rows };
        grant.check("grant")?;
        if input.expires_at.is_some_and(|at| at <= now) {
            return Err(Error::invalid("expires_at", "is in the past; set a future time, or omit it"));
        }
        self.lies_within_the_makers(&grant, input.expires_at)?;
        let key = ApiKey::new(CredentialId::from_random(input.random_id), input.random_secret);
        let certified = input.certificate.is_some();
        let credential = Credential {
            id: key.id(),
            name: input.name,
            kind: if certified { CredentialKind::Certificate } else { CredentialKind::ApiKey },
            secret_hash: if certified { [0; 32] } else { key.secret_hash() },
            certificate: input.certificate,
            agent: input.agent,
            grant,
            created_at: now,
            created_by: self.principal(),
            expires_at: input.expires_at,
            revoked_at: None,
            replaced: None,
        };
        let taken = || Error::CredentialExists { name: credential.name.to_string() };
        if credential.name.as_str() == LOCAL_ADMIN {
            return Err(taken());
        }
        match credentials.add(&credential, MAX_CREDENTIALS, &self.by()).await? {
            Added::Done => {
                let listed = ListedCredential { credential, last_used_at: None };
                Ok(NewKey { listed, key: (!certified).then_some(key) })
            }
            Added::Taken => Err(taken()),
            Added::CertificateTaken => Err(Error::CertificateExists),
            Added::Full => Err(Error::LimitReached { what: "credentials", limit: MAX_CREDENTIALS }),
        }
    }

    fn lies_within_the_makers(&self, grant: &Grant, expires_at: Option<Timestamp>) -> Result<()> {
        let Some(maker) = &self.caller else { return Ok(()) };
        let outlives = maker.expires_at.is_some_and(|end| expires_at.is_none_or(|at| at > end));
        if maker.grant.covers(grant) && !outlives { Ok(()) } else { Err(Error::Denied) }
    }
}
