//! `LinkService`: one file per rpc.

mod contradictions;
mod create;
mod import;
mod lineage;
mod list;
mod unlink;

use kimberly_proto::v1;
use kimberly_proto::v1::link_service_server::LinkService;
use tonic::{Request, Response, Status, async_trait};

use crate::Api;
use crate::reply::reply;

/// Serves [`LinkService`].
#[derive(Clone, Debug)]
pub(crate) struct Links(pub Api);

type Answer<M> = Result<Response<M>, Status>;

#[async_trait]
impl LinkService for Links {
    async fn link(&self, request: Request<v1::LinkRequest>) -> Answer<v1::LinkResponse> {
        reply(create::handle(self.0.enter(request).await?).await)
    }

    async fn unlink(&self, request: Request<v1::UnlinkRequest>) -> Answer<v1::UnlinkResponse> {
        reply(unlink::handle(self.0.enter(request).await?).await)
    }

    async fn list_links(&self, request: Request<v1::ListLinksRequest>) -> Answer<v1::ListLinksResponse> {
        reply(list::handle(self.0.enter(request).await?).await)
    }

    async fn lineage(&self, request: Request<v1::LineageRequest>) -> Answer<v1::LineageResponse> {
        reply(lineage::handle(self.0.enter(request).await?).await)
    }

    async fn import_links(&self, request: Request<v1::ImportLinksRequest>) -> Answer<v1::ImportLinksResponse> {
        reply(import::handle(self.0.enter(request).await?).await)
    }

    async fn list_contradictions(
        &self,
        request: Request<v1::ListContradictionsRequest>,
    ) -> Answer<v1::ListContradictionsResponse> {
        reply(contradictions::list(self.0.enter(request).await?).await)
    }

    async fn resolve_contradiction(
        &self,
        request: Request<v1::ResolveContradictionRequest>,
    ) -> Answer<v1::ResolveContradictionResponse> {
        reply(contradictions::resolve(self.0.enter(request).await?).await)
    }
}
