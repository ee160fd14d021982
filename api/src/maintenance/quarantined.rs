//! Lists vaults that were found damaged.

use kimberly_core::{Result, UserId};
use kimberly_proto::v1;

use super::token::{behind, token};
use crate::access::Entered;
use crate::convert;
use crate::convert::time::wire_timestamp;

pub(super) async fn handle(
    entered: Entered<v1::ListQuarantinedVaultsRequest, Option<UserId>>,
) -> Result<v1::ListQuarantinedVaultsResponse> {
    let Entered { message: request, system, .. } = entered;
    let page = convert::page(request.page_size, request.page_token);
    let limit = page.limit()?;
    let after = convert::text(page.token).map(|token| behind(&token)).transpose()?;
    let found = system.quarantine.quarantined(after.as_ref(), limit).await?;
    let next = found.last().filter(|_| found.len() == limit).map(|last| token(&last.user)).unwrap_or_default();
    let vaults = found.into_iter().map(|one| v1::QuarantinedVault {
        user_id: one.user.to_string(),
        damage: one.damage.to_string(),
        problem: one.damage.sentence().to_owned(),
        since: Some(wire_timestamp(one.since)),
    });
    Ok(v1::ListQuarantinedVaultsResponse { vaults: vaults.collect(), next_page_token: next })
}
