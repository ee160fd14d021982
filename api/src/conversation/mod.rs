//! `ConversationService`: one file per rpc.

mod compact;
mod get_context;
mod observe;

use kimberly_proto::v1;
use kimberly_proto::v1::conversation_service_server::ConversationService;
use tonic::{Request, Response, Status, async_trait};

use crate::Api;
use crate::reply::reply;

/// Serves [`ConversationService`].
#[derive(Clone, Debug)]
pub(crate) struct Conversations(pub Api);

type Answer<M> = Result<Response<M>, Status>;

#[async_trait]
impl ConversationService for Conversations {
    async fn observe(&self, request: Request<v1::ObserveRequest>) -> Answer<v1::ObserveResponse> {
        reply(observe::handle(&self.0, self.0.enter(request).await?).await)
    }

    async fn get_context(&self, request: Request<v1::GetContextRequest>) -> Answer<v1::GetContextResponse> {
        reply(get_context::handle(&self.0, self.0.enter(request).await?).await)
    }

    async fn compact_session(&self, request: Request<v1::CompactSessionRequest>) -> Answer<v1::CompactSessionResponse> {
        reply(compact::handle(self.0.enter(request).await?).await)
    }
}
