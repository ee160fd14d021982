//! Reads a vault completely, and releases it from quarantine if it is intact and the request asks for that.

use kimberly_core::Result;
use kimberly_core::damage::Damage;
use kimberly_core::ports::By;
use kimberly_proto::v1;

use crate::access::Entered;

/// Maximum number of damaged attachments listed.
const MAX_NAMED: usize = 1_000;

pub(super) async fn handle(entered: Entered<v1::CheckVaultRequest>) -> Result<v1::CheckVaultResponse> {
    let Entered { message: request, user, app, system, caller, .. } = entered;
    let found = if request.release {
        let by = By::new(caller.actor(), app.clock.now());
        let found = system.quarantine.release(&user, &by).await?;
        if found.is_none() {
            // The vault and the queue may be from different times, so the vault's jobs are recreated.
            app.revive(&user, true).await?;
        }
        found
    } else {
        system.quarantine.check(&user).await?
    };
    let damaged =
        if request.attachments && found.is_none() { app.damaged_attachments(&user).await? } else { Vec::new() };
    Ok(v1::CheckVaultResponse {
        damaged_attachments: damaged.iter().take(MAX_NAMED).map(ToString::to_string).collect(),
        damage: found.map_or_else(String::new, |damage| damage.to_string()),
        problem: found.map_or("", Damage::sentence).to_owned(),
    })
}
