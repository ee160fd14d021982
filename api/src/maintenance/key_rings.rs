//! Lists the keys of the rings, and how many key files need each.

use kimberly_core::error::{Error, StorageFailure};
use kimberly_core::{Result, UserId};
use kimberly_crypto::{HeldRing, Survey};
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert;

pub(super) async fn handle(
    entered: Entered<v1::GetKeyRingsRequest, Option<UserId>>,
) -> Result<v1::GetKeyRingsResponse> {
    let keys = entered.system.keys;
    let look = move || {
        // Rereads the rings. If that fails, uses them as they were.
        let _ = keys.refresh();
        (keys.rings(), keys.survey())
    };
    let looked = tokio::task::spawn_blocking(look).await;
    let (held, survey) = looked.map_err(|_| failed("reading key files panicked"))?;
    let survey = survey.map_err(|error| failed(&error.to_string()))?.unwrap_or_default();
    Ok(v1::GetKeyRingsResponse {
        rings: held.iter().map(|held| ring(held, &survey)).collect(),
        files: convert::int64(survey.files),
        unreadable: convert::int64(survey.unreadable),
        problems: survey.problems,
    })
}

fn ring(held: &HeldRing, survey: &Survey) -> v1::KeyRing {
    let key = |id: &kimberly_crypto::KeyId, missing| v1::RingKey {
        id: id.to_string(),
        current: held.keys.last() == Some(id),
        files: convert::int64(survey.needing(held.ring, id)),
        missing,
    };
    let missing = survey.needed(held.ring).map(|(id, _)| id).filter(|id| !held.keys.contains(id));
    v1::KeyRing {
        name: held.ring.to_string(),
        place: held.location.clone(),
        keys: held.keys.iter().map(|id| key(id, false)).chain(missing.map(|id| key(id, true))).collect(),
        left: held.keys.last().map_or(0, |current| convert::int64(survey.left(held.ring, current))),
    }
}

fn failed(what: &str) -> Error {
    Error::storage(StorageFailure::Unavailable, what)
}
