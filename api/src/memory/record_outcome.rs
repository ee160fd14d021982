//! Records whether memories helped.

use kimberly_core::bounds::MAX_OUTCOME_IDS;
use kimberly_core::usecases::OutcomeInput;
use kimberly_core::{Error, MemoryId, Result};
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert::enums;
use crate::convert::problems::Problems;

pub(super) async fn handle(entered: Entered<v1::RecordOutcomeRequest>) -> Result<v1::RecordOutcomeResponse> {
    let Entered { message: request, user, app, .. } = entered;
    let ids = ids(&request.memory_ids)?;
    let outcome = enums::set(request.outcome).map_err(|problem| Error::invalid("outcome", problem))?;
    let input = OutcomeInput { ids, outcome, top_k: request.top_k, request_id: request.request_id };
    let recorded = app.record_outcome(&user, input).await?;
    Ok(v1::RecordOutcomeResponse { recorded: i32::try_from(recorded).unwrap_or(i32::MAX) })
}

fn ids(raw: &[String]) -> Result<Vec<MemoryId>> {
    if raw.len() > MAX_OUTCOME_IDS {
        let problem = format!("has {} entries; 1-{MAX_OUTCOME_IDS} are allowed", raw.len());
        return Err(Error::invalid("memory_ids", problem));
    }
    let mut problems = Problems::default();
    let parsed = raw.iter().enumerate().map(|(index, id)| MemoryId::parse(&format!("memory_ids[{index}]"), id));
    let ids = parsed.filter_map(|id| problems.absorb(id)).collect();
    problems.finish(ids)
}
