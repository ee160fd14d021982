//! The links of an archive, sent after its memories. Existing links are left unchanged; links of missing memories are
//! skipped.

use kimberly_proto::v1;

use super::load::Load;
use crate::client::Client;
use crate::error::{CliError, CliResult};
use crate::patience::patiently;

/// Maximum links per call.
const AT_ONCE: usize = 500;

/// Sends links. Safe to repeat.
pub(super) async fn send(client: &Client, load: &Load) -> CliResult {
    for links in load.links.chunks(AT_ONCE) {
        let request = v1::ImportLinksRequest { user_id: load.user.clone(), links: links.to_vec() };
        let imported = patiently(|| {
            let request = request.clone();
            async move { client.links().import_links(request).await }
        });
        imported.await.map_err(|error: CliError| error.during("links"))?;
    }
    Ok(())
}
