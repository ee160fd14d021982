//! `ConversationService`: one file per rpc.

mod compact;
mod get_context;
mod observe;
mod observe_stream;

use kimberly_proto::v1;
use kimberly_proto::v1::conversation_service_server::ConversationService;
use tonic::{Request, Response, Status, Streaming, async_trait};

use crate::Api;
use crate::reply::reply;
use crate::streams::Messages;

/// Serves [`ConversationService`].
#[derive(Clone, Debug)]
pub(crate) struct Conversations(pub Api);

type Answer<M> = Result<Response<M>, Status>;

#[async_trait]
impl ConversationService for Conversations {
    async fn observe(&self, request: Request<v1::ObserveRequest>) -> Answer<v1::ObserveResponse> {
        reply(observe::handle(&self.0, self.0.enter(request).await?).await)
    }

    type ObserveStreamStream = Messages<v1::ObserveStreamResponse>;

    async fn observe_stream(
        &self,
        request: Request<Streaming<v1::ObserveStreamRequest>>,
    ) -> Answer<Self::ObserveStreamStream> {
        Ok(Response::new(observe_stream::handle(&self.0, request)))
    }

    async fn get_context(&self, request: Request<v1::GetContextRequest>) -> Answer<v1::GetContextResponse> {
        reply(get_context::handle(&self.0, self.0.enter(request).await?).await)
    }

    async fn compact_session(&self, request: Request<v1::CompactSessionRequest>) -> Answer<v1::CompactSessionResponse> {
        reply(compact::handle(self.0.enter(request).await?).await)
    }
}
