//! Follows links from a memory.

use kimberly_core::links::{Direction, LineageStep};
use kimberly_core::usecases::links::LineageInput;
use kimberly_core::{MemoryId, Result};
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert;

pub(super) async fn handle(entered: Entered<v1::LineageRequest>) -> Result<v1::LineageResponse> {
    let Entered { message: request, user, app, .. } = entered;
    let input = LineageInput {
        id: MemoryId::parse("id", &request.id)?,
        direction: convert::link::direction(request.direction)?,
        relations: convert::link::relations(&request.relations)?,
        max_depth: request.max_depth,
        limit: request.limit,
    };
    let lineage = app.lineage(&user, input).await?;
    Ok(v1::LineageResponse { steps: lineage.steps.into_iter().map(step).collect(), truncated: lineage.truncated })
}

fn step(step: LineageStep) -> v1::LineageStep {
    let direction = match step.direction {
        Direction::Both => v1::LinkDirection::Unspecified,
        Direction::Out => v1::LinkDirection::Out,
        Direction::In => v1::LinkDirection::In,
    };
    v1::LineageStep {
        link: Some(convert::link::link(step.link)),
        depth: convert::int32(step.depth),
        direction: direction.into(),
    }
}
