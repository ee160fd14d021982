//! Imports exported consent records.

use kimberly_core::Result;
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert;
use crate::convert::problems::Problems;

pub(super) async fn handle(entered: Entered<v1::ImportConsentsRequest>) -> Result<v1::ImportConsentsResponse> {
    let Entered { message: request, user, app, .. } = entered;
    let mut problems = Problems::default();
    let records = request.consents.into_iter().enumerate();
    let records = records.map(|(index, raw)| convert::consent::record(&format!("consents[{index}]"), raw));
    let records: Vec<_> = records.filter_map(|record| problems.absorb(record)).collect();
    let imported = app.import_consents(&user, problems.finish(records)?).await?;
    Ok(v1::ImportConsentsResponse {
        imported: convert::int64(imported.imported),
        known: convert::int64(imported.known),
    })
}
