//! Credentials, kept once for all users.

use async_trait::async_trait;

use crate::access::{CertificateName, Credential, CredentialId, CredentialName, ListedCredential};
use crate::error::Result;
use crate::ports::By;
use crate::time::Timestamp;

/// What became of a new credential.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Added {
    /// It is kept now.
    Done,
    /// There is or was one of this name, or of this id.
    Taken,
    /// There is one of this certificate that is not revoked.
    CertificateTaken,
    /// There are as many as there may be.
    Full,
}

/// The credentials of one data folder. Revoked ones are kept, so that no name is given twice. Every change is durable when
/// it returns, and seen by all later reads, and is
/// told in the audit of the system, in its own transaction.
#[async_trait]
pub trait Credentials: Send + Sync {
    /// Keeps a new one, unless there are `most` that are not revoked.
    async fn add(&self, credential: &Credential, most: usize, by: &By) -> Result<Added>;

    /// Keeps the one of the account that runs the service, in the place of what was kept under its name.
    async fn put_local_admin(&self, credential: &Credential, by: &By) -> Result<()>;

    /// The one of an id.
    async fn by_id(&self, id: CredentialId) -> Result<Option<Credential>>;

    /// The one of a certificate that is not revoked; there is one at most.
    async fn by_certificate(&self, certificate: &CertificateName) -> Result<Option<Credential>>;

    /// The one of a name.
    async fn by_name(&self, name: &CredentialName) -> Result<Option<ListedCredential>>;

    /// Credentials in the order of their names, after one, at most `limit`.
    async fn list(&self, after: Option<&CredentialName>, limit: usize) -> Result<Vec<ListedCredential>>;

    /// Revokes one that is not revoked yet; nothing happens to others.
    async fn revoke(&self, name: &CredentialName, by: &By) -> Result<()>;

    /// Gives one that is not revoked a new secret in the place of the one with the hash `was`, which is taken until
    /// `until`. `false` if it has another one by now, or is revoked.
    async fn replace_secret(
        &self,
        name: &CredentialName,
        was: &[u8; 32],
        hash: &[u8; 32],
        until: Timestamp,
        by: &By,
    ) -> Result<bool>;

    /// Notes when credentials were last used; times never move back.
    async fn used(&self, uses: &[(CredentialId, Timestamp)]) -> Result<()>;
}
