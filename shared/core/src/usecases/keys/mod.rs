//! Keys of callers: created, listed, rotated and revoked by operators.

mod create;
mod list;
mod revoke;
mod rotate;

pub use create::CreateKeyInput;
pub use list::{KeysPage, ListKeysInput};
pub use rotate::{DEFAULT_OVERLAP, RotateKeyInput};

use crate::access::{ApiKey, CredentialName, LOCAL_ADMIN, ListedCredential};
use crate::audit::Actor;
use crate::error::{Entity, Error, Result};
use crate::ports::By;
use crate::usecases::App;

/// A new credential. If it is a key, its secret is included, and shown only once.
#[derive(Clone, Debug)]
pub struct NewKey {
    /// The stored credential.
    pub listed: ListedCredential,
    /// The key that its holder presents; `None` for a certificate.
    pub key: Option<ApiKey>,
}

impl App {
    /// Returns the acting caller, and the time.
    fn by(&self) -> By {
        let actor = self.caller.as_ref().map_or_else(|| Actor::System.name().into(), |caller| caller.actor());
        By { actor, at: self.clock.now() }
    }
}

/// Refuses changes to the key of the account that runs the service, and says what to do.
fn refuse_local_admin(name: &CredentialName, advice: &str) -> Result<()> {
    if name.as_str() == LOCAL_ADMIN {
        return Err(Error::invalid("name", format!("is the key of the account that runs the service; {advice}")));
    }
    Ok(())
}

fn not_found(name: &CredentialName) -> Error {
    Error::NotFound { entity: Entity::Credential, id: name.to_string() }
}

#[cfg(test)]
mod tests;
