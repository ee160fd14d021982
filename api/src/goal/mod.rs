//! `GoalService`: one file per rpc.

mod create;
mod delete;
mod get;
mod list;
mod update;

use kimberly_proto::v1;
use kimberly_proto::v1::goal_service_server::GoalService;
use tonic::{Request, Response, Status, async_trait};

use crate::Api;
use crate::reply::reply;

/// Serves [`GoalService`].
#[derive(Clone, Debug)]
pub(crate) struct Goals(pub Api);

type Answer<M> = Result<Response<M>, Status>;

#[async_trait]
impl GoalService for Goals {
    async fn create_goal(&self, request: Request<v1::CreateGoalRequest>) -> Answer<v1::CreateGoalResponse> {
        let _place = self.0.calls.place(&request).await?;
        reply(create::handle(&self.0, request.into_inner()).await)
    }

    async fn get_goal(&self, request: Request<v1::GetGoalRequest>) -> Answer<v1::GetGoalResponse> {
        let _place = self.0.calls.place(&request).await?;
        reply(get::handle(&self.0, request.into_inner()).await)
    }

    async fn list_goals(&self, request: Request<v1::ListGoalsRequest>) -> Answer<v1::ListGoalsResponse> {
        let _place = self.0.calls.place(&request).await?;
        reply(list::handle(&self.0, request.into_inner()).await)
    }

    async fn update_goal(&self, request: Request<v1::UpdateGoalRequest>) -> Answer<v1::UpdateGoalResponse> {
        let _place = self.0.calls.place(&request).await?;
        reply(update::handle(&self.0, request.into_inner()).await)
    }

    async fn delete_goal(&self, request: Request<v1::DeleteGoalRequest>) -> Answer<v1::DeleteGoalResponse> {
        let _place = self.0.calls.place(&request).await?;
        reply(delete::handle(&self.0, request.into_inner()).await)
    }
}
