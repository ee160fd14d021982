//! `AccessService`: one file per rpc.

mod create;
mod list;
mod revoke;
mod rotate;

use kimberly_core::Error;
use kimberly_core::access::CredentialName;
use kimberly_core::error::StorageFailure;
use kimberly_proto::v1;
use kimberly_proto::v1::access_service_server::AccessService;
use tonic::{Request, Response, Status, async_trait};

use crate::Api;
use crate::auth::Session;
use crate::reply::reply;

/// Serves [`AccessService`].
#[derive(Clone, Debug)]
pub(crate) struct Keys(pub Api);

type Answer<M> = Result<Response<M>, Status>;

#[async_trait]
impl AccessService for Keys {
    async fn create_key(&self, request: Request<v1::CreateKeyRequest>) -> Answer<v1::CreateKeyResponse> {
        reply(create::handle(self.0.enter_any(request).await?).await)
    }

    async fn list_keys(&self, request: Request<v1::ListKeysRequest>) -> Answer<v1::ListKeysResponse> {
        reply(list::handle(self.0.enter_any(request).await?).await)
    }

    async fn revoke_key(&self, request: Request<v1::RevokeKeyRequest>) -> Answer<v1::RevokeKeyResponse> {
        reply(revoke::handle(self.0.enter_any(request).await?).await)
    }

    async fn rotate_key(&self, request: Request<v1::RotateKeyRequest>) -> Answer<v1::RotateKeyResponse> {
        let shown = request.extensions().get::<Session>().and_then(Session::secret_hash);
        reply(rotate::handle(self.0.enter_any(request).await?, shown).await)
    }
}

/// Parses the name of a key.
fn name(raw: &str) -> kimberly_core::Result<CredentialName> {
    CredentialName::parse(raw)
}

/// Returns the error for a system that provides no random bytes.
fn no_random(error: impl std::fmt::Display) -> Error {
    Error::storage(StorageFailure::Defect, format!("no random bytes: {error}"))
}
