//! `ConsentService`: one file per rpc.

mod get;
mod grant;
mod import;
mod list;
mod retract;

use kimberly_proto::v1;
use kimberly_proto::v1::consent_service_server::ConsentService;
use tonic::{Request, Response, Status, async_trait};

use crate::Api;
use crate::reply::reply;

/// Serves [`ConsentService`].
#[derive(Clone, Debug)]
pub(crate) struct Consents(pub Api);

type Answer<M> = Result<Response<M>, Status>;

#[async_trait]
impl ConsentService for Consents {
    async fn grant_consent(&self, request: Request<v1::GrantConsentRequest>) -> Answer<v1::GrantConsentResponse> {
        reply(grant::handle(self.0.enter(request).await?).await)
    }

    async fn get_consent(&self, request: Request<v1::GetConsentRequest>) -> Answer<v1::GetConsentResponse> {
        reply(get::handle(self.0.enter(request).await?).await)
    }

    async fn list_consents(&self, request: Request<v1::ListConsentsRequest>) -> Answer<v1::ListConsentsResponse> {
        reply(list::handle(self.0.enter(request).await?).await)
    }

    async fn retract_consent(&self, request: Request<v1::RetractConsentRequest>) -> Answer<v1::RetractConsentResponse> {
        reply(retract::handle(self.0.enter(request).await?).await)
    }

    async fn import_consents(&self, request: Request<v1::ImportConsentsRequest>) -> Answer<v1::ImportConsentsResponse> {
        reply(import::handle(self.0.enter(request).await?).await)
    }
}
