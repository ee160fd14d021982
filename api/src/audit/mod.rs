//! `AuditService`: one file per rpc.

mod checkpoint;
mod export;
mod list;
mod verify;

use std::sync::Arc;

use kimberly_core::UserId;
use kimberly_core::usecases::audit::AuditOf;
use kimberly_proto::v1;
use kimberly_proto::v1::audit_service_server::AuditService;
use tonic::{Request, Response, Status, async_trait};

use crate::Api;
use crate::access::System;
use crate::reply::reply;
use crate::streams::Messages;

/// Serves [`AuditService`].
#[derive(Clone, Debug)]
pub(crate) struct Audits(pub Api);

type Answer<M> = Result<Response<M>, Status>;

#[async_trait]
impl AuditService for Audits {
    async fn list_audit_entries(
        &self,
        request: Request<v1::ListAuditEntriesRequest>,
    ) -> Answer<v1::ListAuditEntriesResponse> {
        reply(list::handle(self.0.enter_any(request).await?).await)
    }

    async fn verify_audit(&self, request: Request<v1::VerifyAuditRequest>) -> Answer<v1::VerifyAuditResponse> {
        reply(verify::handle(self.0.enter_any(request).await?).await)
    }

    async fn create_audit_checkpoint(
        &self,
        request: Request<v1::CreateAuditCheckpointRequest>,
    ) -> Answer<v1::CreateAuditCheckpointResponse> {
        reply(checkpoint::handle(self.0.enter_any(request).await?).await)
    }

    type ExportAuditStream = Messages<v1::ExportAuditResponse>;

    async fn export_audit(&self, request: Request<v1::ExportAuditRequest>) -> Answer<Self::ExportAuditStream> {
        export::handle(&self.0, request).await.map(Response::new)
    }
}

/// Selects a user's audit, or the system's if no user is named.
fn of(user: Option<UserId>, system: &System) -> AuditOf {
    user.map_or_else(|| AuditOf::System(Arc::clone(&system.audit)), AuditOf::User)
}
