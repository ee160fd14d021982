//! Bounds of requests about entities.

use kimberly_proto::v1 as pb;

use super::{Judge, long, user};

#[tokio::test]
async fn lists_of_entities() {
    let judge = Judge::new().await;
    let list = || pb::ListEntitiesRequest { user_id: user(), ..Default::default() };
    let search = |search: String| pb::ListEntitiesRequest { search, ..list() };
    judge.holds("search", "search", search(long(256)), search(long(257))).await;
    let types = |n: usize| pb::ListEntitiesRequest { types: vec![1; n], ..list() };
    judge.holds("types", "types", types(11), types(12)).await;
    judge.refuses("no type", "types[0]", pb::ListEntitiesRequest { types: vec![0], ..list() }).await;
    let namespaces = |n: usize| pb::ListEntitiesRequest { namespaces: vec!["work".to_owned(); n], ..list() };
    judge.holds("namespaces", "namespaces", namespaces(16), namespaces(17)).await;
    let page = |page_size| pb::ListEntitiesRequest { page_size, ..list() };
    judge.holds("page", "page_size", page(1_000), page(1_001)).await;
}

#[tokio::test]
async fn mentions_of_an_entity() {
    let judge = Judge::new().await;
    let get = |limit, id: &str| pb::GetEntityRequest { user_id: user(), id: id.to_owned(), limit };
    let id = "ent_01980000-0000-4000-8000-000000000000";
    judge.refuses("mentions", "limit", get(1_001, id)).await;
    judge.refuses("no id", "id", get(0, "mem_01980000-0000-7000-8000-000000000000")).await;
}

#[tokio::test]
async fn parts_of_the_graph() {
    let judge = Judge::new().await;
    let id = "ent_01980000-0000-4000-8000-000000000000";
    let around = || pb::ListNeighboursRequest { user_id: user(), id: id.to_owned(), ..Default::default() };
    judge.refuses("depth", "depth", pb::ListNeighboursRequest { depth: 4, ..around() }).await;
    judge.refuses("neighbours", "limit", pb::ListNeighboursRequest { limit: 201, ..around() }).await;
    judge.refuses("relations", "relations", pb::ListNeighboursRequest { relations: vec![1; 13], ..around() }).await;
    let related = pb::ListRelatedRequest {
        user_id: user(),
        id: "mem_01980000-0000-7000-8000-000000000000".to_owned(),
        limit: 201,
    };
    judge.refuses("related", "limit", related).await;
    let part = |limit| pb::GetSubgraphRequest { user_id: user(), limit, ..Default::default() };
    judge.holds("entities", "limit", part(200), part(201)).await;
    let many = pb::GetSubgraphRequest { ids: vec![id.to_owned(); 201], ..part(0) };
    judge.refuses("ids", "ids", many).await;
    let namespaces = |n: usize| pb::GetSubgraphRequest { namespaces: vec!["work".to_owned(); n], ..part(0) };
    judge.holds("namespaces", "namespaces", namespaces(16), namespaces(17)).await;
}

#[tokio::test]
async fn what_a_person_says_of_entities() {
    let judge = Judge::new().await;
    let id = "ent_01980000-0000-4000-8000-000000000000";
    let rename = |name: String| pb::RenameEntityRequest { user_id: user(), id: id.to_owned(), name, undo: false };
    judge.refuses("name", "name", rename(long(257))).await;
    judge.refuses("no name", "name", rename(String::new())).await;
    let merge = |other: &str| pb::MergeEntitiesRequest {
        user_id: user(),
        id: id.to_owned(),
        other_id: other.to_owned(),
        undo: false,
    };
    judge.refuses("itself", "other_id", merge(id)).await;
    judge.refuses("no id", "other_id", merge("x")).await;
    let split = pb::SplitEntityRequest { user_id: user(), id: id.to_owned(), other_id: id.to_owned(), undo: false };
    judge.refuses("split from itself", "other_id", split).await;
}
