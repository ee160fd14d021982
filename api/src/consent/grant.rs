//! Records a person's consent.

use kimberly_core::usecases::consents::GrantConsentInput;
use kimberly_core::{ConsentId, Result};
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert;
use crate::convert::problems::{Problems, required};

pub(super) async fn handle(entered: Entered<v1::GrantConsentRequest>) -> Result<v1::GrantConsentResponse> {
    let Entered { message: request, user, app, .. } = entered;
    let mut problems = Problems::default();
    let consent = required("consent", request.consent).and_then(|raw| convert::consent::draft("consent", raw));
    let draft = problems.absorb(consent).unwrap_or_default();
    let ids = request.release_withheld.iter().enumerate();
    let ids = ids.map(|(index, raw)| ConsentId::parse(&format!("release_withheld[{index}]"), raw));
    let release_withheld = ids.filter_map(|id| problems.absorb(id)).collect();
    let input = GrantConsentInput { draft, release_withheld, request_id: request.request_id };
    let granted = app.grant_consent(&user, problems.finish(input)?).await?;
    Ok(v1::GrantConsentResponse {
        consent: Some(convert::consent::consent(granted.consent, app.clock.now())),
        released: convert::int64(granted.released),
    })
}
