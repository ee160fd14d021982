//! `ReviewService`: one file per rpc.

mod apply;
mod dismiss;
mod list;
mod undo;

use kimberly_proto::v1;
use kimberly_proto::v1::review_service_server::ReviewService;
use tonic::{Request, Response, Status, async_trait};

use crate::Api;
use crate::reply::reply;

/// Serves [`ReviewService`].
#[derive(Clone, Debug)]
pub(crate) struct Reviews(pub Api);

type Answer<M> = Result<Response<M>, Status>;

#[async_trait]
impl ReviewService for Reviews {
    async fn list_reviews(&self, request: Request<v1::ListReviewsRequest>) -> Answer<v1::ListReviewsResponse> {
        reply(list::handle(self.0.enter(request).await?).await)
    }

    async fn apply_review(&self, request: Request<v1::ApplyReviewRequest>) -> Answer<v1::ApplyReviewResponse> {
        reply(apply::handle(self.0.enter(request).await?).await)
    }

    async fn dismiss_review(&self, request: Request<v1::DismissReviewRequest>) -> Answer<v1::DismissReviewResponse> {
        reply(dismiss::handle(self.0.enter(request).await?).await)
    }

    async fn undo_review(&self, request: Request<v1::UndoReviewRequest>) -> Answer<v1::UndoReviewResponse> {
        reply(undo::handle(self.0.enter(request).await?).await)
    }
}
