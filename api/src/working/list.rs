//! Lists the keys of entries.

use kimberly_core::bounds::DEFAULT_WORKING_KEYS;
use kimberly_core::working::{WorkingOp, WorkingOps};
use kimberly_core::{Error, Result};
use kimberly_proto::v1;

use crate::access::Entered;

pub(super) async fn handle(entered: Entered<v1::ListWorkingKeysRequest>) -> Result<v1::ListWorkingKeysResponse> {
    let Entered { message: request, user, app, system, .. } = entered;
    let limit = if request.limit == 0 { Ok(DEFAULT_WORKING_KEYS) } else { usize::try_from(request.limit) };
    let limit = limit.map_err(|_| Error::invalid("limit", format!("is {}; 0 to 1,000 are allowed", request.limit)))?;
    let ops = WorkingOps::one(WorkingOp::Keys { prefix: request.prefix, after: request.after, limit })?;
    let keyspace = (request.namespace.as_str(), request.session_id.as_str());
    let outcome = app.run_working(&*system.working, &user, keyspace, &ops).await?.pop().unwrap_or_default();
    Ok(v1::ListWorkingKeysResponse { keys: outcome.keys })
}
