//! `RecordService`: one file per rpc.

mod correct;
mod find_playbooks;
mod forgetting;
mod history;
mod identity;
mod invalidate;
mod list_uncertain;
mod list_unprocessed;
mod promote;
mod record_interaction;
mod record_playbook_use;
mod revise;
mod verify;

use kimberly_core::ids::Seq;
use kimberly_core::memory::Memory;
use kimberly_core::usecases::App;
use kimberly_core::{Result as CoreResult, UserId};
use kimberly_proto::v1;
use kimberly_proto::v1::record_service_server::RecordService;
use tonic::{Request, Response, Status, async_trait};

use crate::reply::reply;
use crate::{Api, convert, references};

/// Serves [`RecordService`].
#[derive(Clone, Debug)]
pub(crate) struct Records(pub Api);

type Answer<M> = Result<Response<M>, Status>;

#[async_trait]
impl RecordService for Records {
    async fn verify_memory(&self, request: Request<v1::VerifyMemoryRequest>) -> Answer<v1::VerifyMemoryResponse> {
        reply(verify::handle(self.0.enter(request).await?).await)
    }

    async fn list_uncertain(&self, request: Request<v1::ListUncertainRequest>) -> Answer<v1::ListUncertainResponse> {
        reply(list_uncertain::handle(self.0.enter(request).await?).await)
    }

    async fn find_playbooks(&self, request: Request<v1::FindPlaybooksRequest>) -> Answer<v1::FindPlaybooksResponse> {
        reply(find_playbooks::handle(&self.0, self.0.enter(request).await?).await)
    }

    async fn record_playbook_use(
        &self,
        request: Request<v1::RecordPlaybookUseRequest>,
    ) -> Answer<v1::RecordPlaybookUseResponse> {
        reply(record_playbook_use::handle(self.0.enter(request).await?).await)
    }

    async fn record_interaction(
        &self,
        request: Request<v1::RecordInteractionRequest>,
    ) -> Answer<v1::RecordInteractionResponse> {
        reply(record_interaction::handle(self.0.enter(request).await?).await)
    }

    async fn correct_memory(&self, request: Request<v1::CorrectMemoryRequest>) -> Answer<v1::CorrectMemoryResponse> {
        reply(correct::handle(self.0.enter(request).await?).await)
    }

    async fn revise_belief(&self, request: Request<v1::ReviseBeliefRequest>) -> Answer<v1::ReviseBeliefResponse> {
        reply(revise::handle(self.0.enter(request).await?).await)
    }

    async fn invalidate_memory(
        &self,
        request: Request<v1::InvalidateMemoryRequest>,
    ) -> Answer<v1::InvalidateMemoryResponse> {
        reply(invalidate::handle(self.0.enter(request).await?).await)
    }

    async fn get_history(&self, request: Request<v1::GetHistoryRequest>) -> Answer<v1::GetHistoryResponse> {
        reply(history::handle(self.0.enter(request).await?).await)
    }

    async fn promote_memories(
        &self,
        request: Request<v1::PromoteMemoriesRequest>,
    ) -> Answer<v1::PromoteMemoriesResponse> {
        reply(promote::handle(self.0.enter(request).await?).await)
    }

    async fn list_unprocessed(
        &self,
        request: Request<v1::ListUnprocessedRequest>,
    ) -> Answer<v1::ListUnprocessedResponse> {
        reply(list_unprocessed::handle(self.0.enter(request).await?).await)
    }

    async fn get_identity(&self, request: Request<v1::GetIdentityRequest>) -> Answer<v1::GetIdentityResponse> {
        reply(identity::handle(self.0.enter(request).await?).await)
    }

    async fn list_forgetting_candidates(
        &self,
        request: Request<v1::ListForgettingCandidatesRequest>,
    ) -> Answer<v1::ListForgettingCandidatesResponse> {
        reply(forgetting::list(self.0.enter(request).await?).await)
    }

    async fn run_forgetting(&self, request: Request<v1::RunForgettingRequest>) -> Answer<v1::RunForgettingResponse> {
        reply(forgetting::run(self.0.enter(request).await?).await)
    }
}

/// Converts memories for a response, with their embedding references.
fn listed(app: &App, user: &UserId, found: Vec<Memory>) -> CoreResult<Vec<v1::Memory>> {
    let seqs: Vec<Seq> = found.iter().map(|memory| memory.seq).collect();
    let memories = found.into_iter().map(|memory| convert::memory::memory(user, memory));
    let mut memories: Vec<v1::Memory> = memories.collect::<CoreResult<_>>()?;
    references::fill(app, user, &seqs, memories.iter_mut());
    Ok(memories)
}
