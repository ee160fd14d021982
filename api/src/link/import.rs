//! Imports exported links.

use kimberly_core::Result;
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert;
use crate::convert::problems::Problems;

pub(super) async fn handle(entered: Entered<v1::ImportLinksRequest>) -> Result<v1::ImportLinksResponse> {
    let Entered { message: request, user, app, .. } = entered;
    let mut problems = Problems::default();
    let links = request.links.into_iter().enumerate();
    let links = links.map(|(index, raw)| convert::link::record(&format!("links[{index}]"), raw));
    let links: Vec<_> = links.filter_map(|link| problems.absorb(link)).collect();
    let imported = app.import_links(&user, problems.finish(links)?).await?;
    Ok(v1::ImportLinksResponse {
        imported: convert::int64(imported.imported),
        known: convert::int64(imported.known),
        missing: convert::int64(imported.missing),
    })
}
