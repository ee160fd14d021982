//! Vaults that were found damaged.

use super::Finding;
use crate::commands::vaults::quarantined;
use crate::context::Context;

/// Asks the server; one that does not answer was told of already.
pub(super) async fn check(context: &Context) -> Option<Finding> {
    let found = quarantined(context).await.ok()?;
    Some(match found.first() {
        None => Finding::ok("vaults", "none was found damaged"),
        Some(first) => Finding::bad(
            "vaults",
            format!(
                "{} found damaged and not used any more, the first of {}: {}; `kimberly vaults` lists them",
                found.len(),
                first.user_id,
                first.problem
            ),
        ),
    })
}
