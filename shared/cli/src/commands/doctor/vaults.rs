//! Vaults and shared files that were found damaged.

use kimberly_proto::v1;

use super::Finding;
use crate::commands::vaults::damaged;
use crate::context::Context;

/// Queries the server; another check reports an unreachable one.
pub(super) async fn check(context: &Context) -> Vec<Finding> {
    let (vaults, files) = match damaged(context).await {
        Ok(found) => found,
        Err(error) if error.retryable => return Vec::new(),
        Err(error) => return vec![Finding::bad("vaults", error.message().to_owned())],
    };
    files.iter().map(shared).chain([quarantined(&vaults)]).collect()
}

fn shared(file: &v1::DamagedFile) -> Finding {
    Finding::bad("shared file", format!("{} is damaged: {}", file.name, file.advice))
}

fn quarantined(vaults: &[v1::QuarantinedVault]) -> Finding {
    match vaults.first() {
        None => Finding::ok("vaults", "none was found damaged"),
        Some(first) => Finding::bad(
            "vaults",
            format!(
                "{} damaged and quarantined, the first of {}: {}; `kimberly vaults` lists them",
                vaults.len(),
                first.user_id,
                first.problem
            ),
        ),
    }
}
