//! The links of an archive, sent behind its memories. Those that are there stay as they are; those of memories that are not there are
//! left out.

use kimberly_proto::v1;

use super::Load;
use crate::client::Client;
use crate::error::{CliError, CliResult};
use crate::patience::patiently;

/// Links that one call takes.
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
