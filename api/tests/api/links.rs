//! Links as JSON.

use serde_json::json;

use crate::common::{Served, USER};
use crate::http::{get, post};

async fn remembered(served: &Served, content: &str) -> String {
    let memory = json!({"content": content});
    let stored = post(served, &format!("/v1/users/{USER}/memories"), &memory).await.json();
    stored["receipt"]["id"].as_str().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn links_are_said_listed_in_pages_followed_and_imported_as_json() {
    let served = Served::start().await;
    let (raw, belief) = (remembered(&served, "it was slow").await, remembered(&served, "caches help").await);
    let path = format!("/v1/users/{USER}/links");
    for relation in ["derived_from", "mentions"] {
        let link = json!({"link": {"fromId": belief, "relation": relation, "toId": raw, "evidence": "a quote"}});
        assert_eq!(post(&served, &path, &link).await.json()["created"], true);
    }
    let first = get(&served, &format!("{path}?id={raw}&direction=in&pageSize=1")).await.json();
    assert_eq!(first["links"][0]["relation"], "RELATION_DERIVED_FROM", "{first}");
    let token = first["nextPageToken"].as_str().unwrap_or_default();
    let second = get(&served, &format!("{path}?id={raw}&direction=in&pageSize=1&pageToken={token}")).await.json();
    assert_eq!(second["links"][0]["relation"], "RELATION_MENTIONS", "{second}");
    assert_eq!(second["nextPageToken"].as_str().unwrap_or_default(), "");
    let lineage = get(&served, &format!("/v1/users/{USER}/memories/{belief}:lineage")).await.json();
    assert_eq!(lineage["steps"][0]["link"]["toId"], raw.as_str(), "{lineage}");
    let all = get(&served, &path).await.json();
    let again = post(&served, &format!("{path}:import"), &json!({"links": all["links"]})).await.json();
    assert_eq!((&again["known"], again["imported"].as_str().unwrap_or("0")), (&json!("2"), "0"), "{again}");
    let unlink = json!({"fromId": belief, "relation": "mentions", "toId": raw});
    assert_eq!(post(&served, &format!("{path}:unlink"), &unlink).await.json()["removed"], true);
    let itself = json!({"link": {"fromId": raw, "relation": "mentions", "toId": raw}});
    assert_eq!(post(&served, &path, &itself).await.reason(), "INVALID_FIELD");
    let nowhere = json!({"link": {
        "fromId": raw, "relation": "mentions", "toId": "mem_01980000-0000-7000-8000-000000000000"}});
    assert_eq!(post(&served, &path, &nowhere).await.reason(), "MEMORY_NOT_FOUND");
}
