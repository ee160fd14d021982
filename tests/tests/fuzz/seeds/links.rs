//! Requests about links.

use kimberly_proto::v1 as pb;

use super::{Seed, USER, seed};

/// Seeds of all rpcs of `LinkService`, about one memory.
pub(super) fn seeds(id: &str) -> Vec<Seed> {
    let (user_id, request_id, relations) = (USER.to_owned(), "request".to_owned(), vec![1, 3]);
    let (from_id, to_id) = (id.to_owned(), "mem_01980000-0000-7000-8000-000000000000".to_owned());
    let link = pb::MemoryLink {
        from_id: from_id.clone(),
        relation: pb::Relation::DerivedFrom.into(),
        to_id: to_id.clone(),
        weight: Some(0.5),
        confidence: Some(0.75),
        source_type: pb::SourceType::Inference.into(),
        evidence: "Ana said so".to_owned(),
        created_at: Some(prost_types::Timestamp { seconds: 1_600_000_000, nanos: 5_000 }),
        verified_at: Some(prost_types::Timestamp { seconds: 1_700_000_000, nanos: 5_000 }),
        start_byte: 3,
        end_byte: 9,
    };
    vec![
        seed(
            "/kimberly.v1.LinkService/Link",
            &pb::LinkRequest { user_id: user_id.clone(), link: Some(link.clone()), request_id: request_id.clone() },
        ),
        seed(
            "/kimberly.v1.LinkService/Unlink",
            &pb::UnlinkRequest { user_id: user_id.clone(), from_id, relation: 1, to_id, request_id },
        ),
        seed(
            "/kimberly.v1.LinkService/ListLinks",
            &pb::ListLinksRequest {
                user_id: user_id.clone(),
                id: id.to_owned(),
                direction: 1,
                relations: relations.clone(),
                page_size: 3,
                ..Default::default()
            },
        ),
        seed(
            "/kimberly.v1.LinkService/Lineage",
            &pb::LineageRequest {
                user_id: user_id.clone(),
                id: id.to_owned(),
                direction: 2,
                relations,
                max_depth: 4,
                limit: 5,
            },
        ),
        seed(
            "/kimberly.v1.LinkService/ImportLinks",
            &pb::ImportLinksRequest { user_id: user_id.clone(), links: vec![link] },
        ),
        seed(
            "/kimberly.v1.LinkService/ListContradictions",
            &pb::ListContradictionsRequest { user_id: user_id.clone(), page_size: 3, page_token: "token".to_owned() },
        ),
        seed(
            "/kimberly.v1.LinkService/ResolveContradiction",
            &pb::ResolveContradictionRequest {
                user_id,
                from_id: id.to_owned(),
                to_id: "mem_01980000-0000-7000-8000-000000000000".to_owned(),
                resolution: 3,
                reason: "Ana said so".to_owned(),
                request_id: "request".to_owned(),
            },
        ),
    ]
}
