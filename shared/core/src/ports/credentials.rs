//! Storage for credentials, shared by all users.

use async_trait::async_trait;

use crate::access::{CertificateName, Credential, CredentialId, CredentialName, ListedCredential};
use crate::error::Result;
use crate::ports::By;
use crate::time::Timestamp;

/// The result of adding a credential.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Added {
    /// The credential was stored.
    Done,
    /// The name or id is or was in use.
    Taken,
    /// A credential for this certificate exists and is not revoked.
    CertificateTaken,
    /// The limit is reached.
    Full,
}

/// The credentials of one data folder. Revoked ones are kept, so that names are never reused. Every change is durable
/// on return, visible to all later reads, and recorded in the system's audit in the same transaction.
#[async_trait]
pub trait Credentials: Send + Sync {
    /// Stores a new credential, unless `most` unrevoked ones exist.
    async fn add(&self, credential: &Credential, most: usize, by: &By) -> Result<Added>;

    /// Stores the credential of the account that runs the service, replacing the one under its name.
    async fn put_local_admin(&self, credential: &Credential, by: &By) -> Result<()>;

    /// Returns the credential with an id.
    async fn by_id(&self, id: CredentialId) -> Result<Option<Credential>>;

    /// Returns the unrevoked credential of a certificate; there is at most one.
    async fn by_certificate(&self, certificate: &CertificateName) -> Result<Option<Credential>>;

    /// Returns the credential with a name.
    async fn by_name(&self, name: &CredentialName) -> Result<Option<ListedCredential>>;

    /// Lists credentials by name, after one, at most `limit`.
    async fn list(&self, after: Option<&CredentialName>, limit: usize) -> Result<Vec<ListedCredential>>;

    /// Revokes a credential; does nothing if it is revoked already or unknown.
    async fn revoke(&self, name: &CredentialName, by: &By) -> Result<()>;

    /// Replaces the secret of an unrevoked credential. The old secret, whose hash is `was`, is accepted until `until`.
    /// Returns `false` if the current secret is another one, or the credential is revoked.
    async fn replace_secret(
        &self,
        name: &CredentialName,
        was: &[u8; 32],
        hash: &[u8; 32],
        until: Timestamp,
        by: &By,
    ) -> Result<bool>;

    /// Records when credentials were last used; times never move back.
    async fn used(&self, uses: &[(CredentialId, Timestamp)]) -> Result<()>;
}
