//! Returns an entry.

use kimberly_core::Result;
use kimberly_core::working::{WorkingOp, WorkingOps};
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert::time;

pub(super) async fn handle(entered: Entered<v1::GetWorkingEntryRequest>) -> Result<v1::GetWorkingEntryResponse> {
    let Entered { message: request, user, app, system, .. } = entered;
    let ops = WorkingOps::one(WorkingOp::Get { key: request.key })?;
    let keyspace = (request.namespace.as_str(), request.session_id.as_str());
    let outcome = app.run_working(&*system.working, &user, keyspace, &ops).await?.pop().unwrap_or_default();
    Ok(v1::GetWorkingEntryResponse {
        found: outcome.found,
        value: outcome.value.unwrap_or_default(),
        expires_at: outcome.expires_at.map(time::wire_timestamp),
    })
}
