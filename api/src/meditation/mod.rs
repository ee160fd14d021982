//! `MeditationService`: one file per rpc.

mod get;
mod list;
mod meditate;
mod watch;

use kimberly_proto::v1;
use kimberly_proto::v1::meditation_service_server::MeditationService;
use tonic::{Request, Response, Status, async_trait};

use crate::Api;
use crate::reply::reply;

/// Serves [`MeditationService`].
#[derive(Clone, Debug)]
pub(crate) struct Meditations(pub Api);

type Answer<M> = Result<Response<M>, Status>;

#[async_trait]
impl MeditationService for Meditations {
    async fn meditate(&self, request: Request<v1::MeditateRequest>) -> Answer<v1::MeditateResponse> {
        reply(meditate::handle(self.0.enter(request).await?).await)
    }

    async fn get_meditation(&self, request: Request<v1::GetMeditationRequest>) -> Answer<v1::GetMeditationResponse> {
        reply(get::handle(self.0.enter(request).await?).await)
    }

    async fn list_meditations(
        &self,
        request: Request<v1::ListMeditationsRequest>,
    ) -> Answer<v1::ListMeditationsResponse> {
        reply(list::handle(self.0.enter(request).await?).await)
    }

    type WatchMeditationStream = watch::Events;

    async fn watch_meditation(&self, request: Request<v1::WatchMeditationRequest>) -> Answer<watch::Events> {
        watch::handle(&self.0, request).await.map(Response::new)
    }
}
