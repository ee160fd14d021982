//! `MaintenanceService`: one file per rpc.

mod check_vault;
mod hold_still;
mod key_rings;
mod quarantined;
mod rebuild_derived;
mod token;
mod users;

use kimberly_proto::v1;
use kimberly_proto::v1::maintenance_service_server::MaintenanceService;
use tonic::{Request, Response, Status, async_trait};

use crate::Api;
use crate::reply::reply;

/// Serves [`MaintenanceService`].
#[derive(Clone, Debug)]
pub(crate) struct Maintenance(pub Api);

#[async_trait]
impl MaintenanceService for Maintenance {
    async fn rebuild_derived(
        &self,
        request: Request<v1::RebuildDerivedRequest>,
    ) -> Result<Response<v1::RebuildDerivedResponse>, Status> {
        reply(rebuild_derived::handle(self.0.enter(request).await?).await)
    }

    async fn list_users(
        &self,
        request: Request<v1::ListUsersRequest>,
    ) -> Result<Response<v1::ListUsersResponse>, Status> {
        reply(users::handle(self.0.enter_any(request).await?).await)
    }

    async fn list_quarantined_vaults(
        &self,
        request: Request<v1::ListQuarantinedVaultsRequest>,
    ) -> Result<Response<v1::ListQuarantinedVaultsResponse>, Status> {
        reply(quarantined::handle(self.0.enter_any(request).await?).await)
    }

    type HoldStillStream = hold_still::Holds;

    async fn hold_still(
        &self,
        request: Request<v1::HoldStillRequest>,
    ) -> Result<Response<Self::HoldStillStream>, Status> {
        hold_still::handle(&self.0, request).await.map(Response::new)
    }

    async fn check_vault(
        &self,
        request: Request<v1::CheckVaultRequest>,
    ) -> Result<Response<v1::CheckVaultResponse>, Status> {
        reply(check_vault::handle(self.0.enter(request).await?).await)
    }

    async fn get_key_rings(
        &self,
        request: Request<v1::GetKeyRingsRequest>,
    ) -> Result<Response<v1::GetKeyRingsResponse>, Status> {
        reply(key_rings::handle(self.0.enter_any(request).await?).await)
    }
}
