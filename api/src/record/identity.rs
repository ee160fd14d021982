//! Returns an assistant's identity: its values, drives, goals and beliefs.

use kimberly_core::Result;
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert;

pub(super) async fn handle(entered: Entered<v1::GetIdentityRequest>) -> Result<v1::GetIdentityResponse> {
    let Entered { message: request, user, app, .. } = entered;
    let identity = app.get_identity(&user, &request.namespace).await?;
    let document = identity.document();
    let (supports, beliefs): (Vec<f64>, Vec<_>) =
        identity.beliefs.into_iter().map(|belief| (belief.support, belief.memory)).unzip();
    let beliefs = super::listed(&app, &user, beliefs)?.into_iter().zip(supports);
    Ok(v1::GetIdentityResponse {
        values: super::listed(&app, &user, identity.values)?,
        drives: super::listed(&app, &user, identity.drives)?,
        goals: identity.goals.into_iter().map(convert::goal::goal).collect(),
        beliefs: beliefs.map(|(memory, support)| v1::SupportedBelief { memory: Some(memory), support }).collect(),
        document,
    })
}
