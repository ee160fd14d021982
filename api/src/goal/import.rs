//! Imports exported goals.

use kimberly_core::Result;
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert;
use crate::convert::problems::Problems;

pub(super) async fn handle(entered: Entered<v1::ImportGoalsRequest>) -> Result<v1::ImportGoalsResponse> {
    let Entered { message: request, user, app, .. } = entered;
    let mut problems = Problems::default();
    let goals = request.goals.into_iter().enumerate();
    let goals = goals.map(|(index, raw)| convert::goal::record(&format!("goals[{index}]"), raw));
    let goals: Vec<_> = goals.filter_map(|goal| problems.absorb(goal)).collect();
    let imported = app.import_goals(&user, problems.finish(goals)?).await?;
    Ok(v1::ImportGoalsResponse { imported: convert::int64(imported.imported), known: convert::int64(imported.known) })
}
