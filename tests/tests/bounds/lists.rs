//! Bounds of lists and queries.

use kimberly_proto::v1 as pb;

use super::{Judge, labels, long, user};

fn query(text: &str) -> pb::QueryMemoriesRequest {
    pb::QueryMemoriesRequest { user_id: user(), query: text.to_owned(), ..Default::default() }
}

fn filtered(filter: pb::MemoryFilter) -> pb::ListMemoriesRequest {
    pb::ListMemoriesRequest { user_id: user(), filter: Some(filter), ..Default::default() }
}

#[tokio::test]
async fn queries() {
    let judge = Judge::new().await;
    judge.holds("length of a query", "query", query(&long(8 * 1024)), query(&long(8 * 1024 + 1))).await;
    judge.takes("one byte", query("x")).await;
    judge.refuses("no query", "query", query("")).await;
    let top = |top_k| pb::QueryMemoriesRequest { top_k, ..query("x") };
    judge.holds("most results", "top_k", top(100), top(101)).await;
    judge.holds("fewest results", "top_k", top(0), top(-1)).await;
    let content = |max_content_bytes| pb::QueryMemoriesRequest { max_content_bytes, ..query("x") };
    judge.holds("content of a result", "max_content_bytes", content(1_000_000), content(1_000_001)).await;
    let session = |length| pb::QueryMemoriesRequest { active_session_id: long(length), ..query("x") };
    judge.holds("session", "active_session_id", session(128), session(129)).await;
}

#[tokio::test]
async fn pages() {
    let judge = Judge::new().await;
    let memories = |page_size| pb::ListMemoriesRequest { user_id: user(), page_size, ..Default::default() };
    judge.holds("largest page", "page_size", memories(1_000), memories(1_001)).await;
    judge.holds("smallest page", "page_size", memories(0), memories(-1)).await;
    let goals = |page_size| pb::ListGoalsRequest { user_id: user(), page_size, ..Default::default() };
    judge.holds("largest page", "page_size", goals(1_000), goals(1_001)).await;
    judge.refuses("smallest page", "page_size", goals(-1)).await;
    let runs = |page_size| pb::ListMeditationsRequest { user_id: user(), page_size, ..Default::default() };
    judge.holds("largest page", "page_size", runs(1_000), runs(1_001)).await;
    judge.refuses("smallest page", "page_size", runs(-1)).await;
    let mut ana = judge.system.user("ana");
    let id = ana.meditate().await.id;
    let run =
        |page_size| pb::GetMeditationRequest { user_id: user(), id: id.clone(), page_size, page_token: String::new() };
    judge.holds("largest page", "page_size", run(1_000), run(1_001)).await;
    judge.refuses("smallest page", "page_size", run(-1)).await;
}

#[tokio::test]
async fn filters() {
    let judge = Judge::new().await;
    let any = |tags_any| filtered(pb::MemoryFilter { tags_any, ..Default::default() });
    judge.holds("any of these tags", "filter.tags_any", any(labels(64)), any(labels(65))).await;
    judge.holds("length of a tag", "filter.tags_any[0]", any(vec![long(64)]), any(vec![long(65)])).await;
    let all = |tags_all| filtered(pb::MemoryFilter { tags_all, ..Default::default() });
    judge.holds("all of these tags", "filter.tags_all", all(labels(64)), all(labels(65))).await;
    let speakers = |speakers| filtered(pb::MemoryFilter { speakers, ..Default::default() });
    judge.holds("speakers", "filter.speakers", speakers(labels(16)), speakers(labels(17))).await;
    let session = |length| filtered(pb::MemoryFilter { session_id: long(length), ..Default::default() });
    judge.holds("session", "filter.session_id", session(128), session(129)).await;
    let tiers = |tiers: &[i32]| filtered(pb::MemoryFilter { tiers: tiers.to_vec(), ..Default::default() });
    judge.holds("tiers", "filter.tiers", tiers(&[1, 2, 3]), tiers(&[1, 2, 3, 1])).await;
    let sources = |sources: &[i32]| filtered(pb::MemoryFilter { sources: sources.to_vec(), ..Default::default() });
    judge.holds("sources", "filter.sources", sources(&[1, 2, 3, 4]), sources(&[1, 2, 3, 4, 1])).await;
    let scopes = |scopes: &[i32]| filtered(pb::MemoryFilter { scopes: scopes.to_vec(), ..Default::default() });
    judge.holds("scopes", "filter.scopes", scopes(&[1, 2, 3]), scopes(&[1, 2, 3, 1])).await;
    let states = |states: &[i32]| filtered(pb::MemoryFilter { states: states.to_vec(), ..Default::default() });
    judge.holds("states", "filter.states", states(&[1, 2, 3]), states(&[1, 2, 3, 1])).await;
    let window = |after, before| {
        let at = |seconds| Some(prost_types::Timestamp { seconds, nanos: 0 });
        filtered(pb::MemoryFilter { created_after: at(after), created_before: at(before), ..Default::default() })
    };
    judge.holds("time window", "filter.created_after", window(1, 2), window(2, 2)).await;
}
