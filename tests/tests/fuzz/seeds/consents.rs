//! Requests about consents.

use kimberly_proto::v1 as pb;

use super::{Seed, USER, seed};

pub(super) fn seeds(consent: &pb::Consent) -> Vec<Seed> {
    let (user_id, id, request_id) = (USER.to_owned(), consent.id.clone(), String::new());
    let scope = pb::ConsentScope {
        tiers: vec![1, 2],
        namespaces: vec!["travels".to_owned(), String::new()],
        tags: vec!["train".to_owned()],
        session_ids: vec!["session".to_owned()],
    };
    let at = |seconds| Some(prost_types::Timestamp { seconds, nanos: 5_000 });
    let full = pb::Consent {
        purpose: "care".to_owned(),
        scope: Some(scope),
        given_by: 2,
        note: "on paper".to_owned(),
        expires_at: at(4_000_000_000),
        wording_sha256: "a".repeat(64),
        ..consent.clone()
    };
    vec![
        seed(
            "/kimberly.v1.ConsentService/GrantConsent",
            &pb::GrantConsentRequest {
                user_id: user_id.clone(),
                consent: Some(full.clone()),
                release_withheld: Vec::new(),
                request_id: request_id.clone(),
            },
        ),
        seed(
            "/kimberly.v1.ConsentService/ListConsents",
            &pb::ListConsentsRequest { user_id: user_id.clone(), include_retracted: true, ..Default::default() },
        ),
        seed(
            "/kimberly.v1.ConsentService/GetConsent",
            &pb::GetConsentRequest { user_id: user_id.clone(), id: id.clone() },
        ),
        seed(
            "/kimberly.v1.ConsentService/ImportConsents",
            &pb::ImportConsentsRequest {
                user_id: user_id.clone(),
                consents: vec![pb::Consent {
                    retracted_at: at(1),
                    retracted_by: "a".to_owned(),
                    retraction: 2,
                    ..full
                }],
            },
        ),
        seed(
            "/kimberly.v1.ConsentService/RetractConsent",
            &pb::RetractConsentRequest { user_id, id, retraction: 2, request_id },
        ),
    ]
}
