//! Requests about entities.

use kimberly_proto::v1 as pb;

use super::{Seed, USER, seed};

const OTHER: &str = "ent_01980000-0000-4000-8000-000000000001";
const ID: &str = "ent_01980000-0000-4000-8000-000000000000";

/// Seeds of all rpcs of `GraphService`.
pub(super) fn seeds(memory: &str) -> Vec<Seed> {
    let user_id = USER.to_owned();
    vec![
        seed(
            "/kimberly.v1.GraphService/ListEntities",
            &pb::ListEntitiesRequest {
                user_id: user_id.clone(),
                search: "ana".to_owned(),
                types: vec![pb::EntityType::Person.into()],
                namespaces: vec![String::new()],
                page_size: 3,
                page_token: String::new(),
            },
        ),
        seed("/kimberly.v1.GraphService/GetEntity", &pb::GetEntityRequest { user_id, id: ID.to_owned(), limit: 5 }),
    ]
    .into_iter()
    .chain(walks())
    .chain(rulings())
    .chain([related(memory)])
    .collect()
}

fn walks() -> [Seed; 2] {
    let (user_id, id) = (USER.to_owned(), ID.to_owned());
    let relations = vec![pb::EntityRelation::WorksAt.into()];
    [
        seed(
            "/kimberly.v1.GraphService/ListNeighbours",
            &pb::ListNeighboursRequest { user_id: user_id.clone(), id, depth: 2, relations, limit: 5 },
        ),
        seed(
            "/kimberly.v1.GraphService/GetSubgraph",
            &pb::GetSubgraphRequest { user_id, ids: Vec::new(), namespaces: vec!["work".to_owned()], limit: 5 },
        ),
    ]
}

fn rulings() -> [Seed; 4] {
    let (user_id, id, other_id) = (USER.to_owned(), ID.to_owned(), OTHER.to_owned());
    let merge =
        pb::MergeEntitiesRequest { user_id: user_id.clone(), id: id.clone(), other_id: other_id.clone(), undo: false };
    let split = pb::SplitEntityRequest { user_id: user_id.clone(), id: id.clone(), other_id, undo: true };
    let name = "Ana".to_owned();
    let rename = pb::RenameEntityRequest { user_id: user_id.clone(), id: id.clone(), name, undo: false };
    let dismiss = pb::DismissEntityRequest { user_id, id, undo: true };
    [
        seed("/kimberly.v1.GraphService/MergeEntities", &merge),
        seed("/kimberly.v1.GraphService/SplitEntity", &split),
        seed("/kimberly.v1.GraphService/RenameEntity", &rename),
        seed("/kimberly.v1.GraphService/DismissEntity", &dismiss),
    ]
}

fn related(memory: &str) -> Seed {
    let request = pb::ListRelatedRequest { user_id: USER.to_owned(), id: memory.to_owned(), limit: 5 };
    seed("/kimberly.v1.GraphService/ListRelated", &request)
}
