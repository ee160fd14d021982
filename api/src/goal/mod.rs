//! `GoalService`: one file per rpc.

mod create;
mod delete;
mod get;
mod import;
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
        reply(create::handle(self.0.enter(request).await?).await)
    }

    async fn get_goal(&self, request: Request<v1::GetGoalRequest>) -> Answer<v1::GetGoalResponse> {
        reply(get::handle(self.0.enter(request).await?).await)
    }

    async fn list_goals(&self, request: Request<v1::ListGoalsRequest>) -> Answer<v1::ListGoalsResponse> {
        reply(list::handle(self.0.enter(request).await?).await)
    }

    async fn update_goal(&self, request: Request<v1::UpdateGoalRequest>) -> Answer<v1::UpdateGoalResponse> {
        reply(update::handle(self.0.enter(request).await?).await)
    }

    async fn delete_goal(&self, request: Request<v1::DeleteGoalRequest>) -> Answer<v1::DeleteGoalResponse> {
        reply(delete::handle(self.0.enter(request).await?).await)
    }

    async fn import_goals(&self, request: Request<v1::ImportGoalsRequest>) -> Answer<v1::ImportGoalsResponse> {
        reply(import::handle(self.0.enter(request).await?).await)
    }
}
