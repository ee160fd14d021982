//! Keys of callers: made, listed, renewed and revoked by operators.

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

/// A new credential; with its secret, which is shown once, if it is a key.
#[derive(Clone, Debug)]
pub struct NewKey {
    /// What is kept.
    pub listed: ListedCredential,
    /// What its holder shows; none if that is a certificate.
    pub key: Option<ApiKey>,
}

impl App {
    /// Who does this, and when.
    fn by(&self) -> By {
        let actor = self.caller.as_ref().map_or_else(|| Actor::System.name().into(), |caller| caller.actor());
        By { actor, at: self.clock.now() }
    }
}

/// Refuses what must not be done to the key of the account that runs the service.
fn refuse_local_admin(name: &CredentialName) -> Result<()> {
    if name.as_str() == LOCAL_ADMIN {
        let problem = "is the key of the account that runs the service, which can be renewed and not revoked";
        return Err(Error::invalid("name", problem));
    }
    Ok(())
}

fn not_found(name: &CredentialName) -> Error {
    Error::NotFound { entity: Entity::Credential, id: name.to_string() }
}

#[cfg(test)]
mod tests;
