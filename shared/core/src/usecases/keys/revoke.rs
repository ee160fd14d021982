//! Revokes a key.

use super::{not_found, refuse_local_admin};
use crate::access::{CredentialName, ListedCredential};
use crate::boxed;
use crate::error::Result;
use crate::ports::Credentials;
use crate::usecases::App;

impl App {
    /// Revokes a key; repeating it changes nothing. The key is of no use from then on, and its name is never reused.
    #[boxed]
    pub async fn revoke_key(&self, credentials: &dyn Credentials, name: &CredentialName) -> Result<ListedCredential> {
        refuse_local_admin(name, "rotate it instead")?;
        credentials.revoke(name, &self.by()).await?;
        credentials.by_name(name).await?.ok_or_else(|| not_found(name))
    }
}
