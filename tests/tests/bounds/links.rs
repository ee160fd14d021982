//! Bounds of links.

use kimberly_proto::v1 as pb;

use super::{Judge, long, user};

const FROM: &str = "mem_01980000-0000-7000-8000-000000000000";
const TO: &str = "mem_01980000-0000-7000-8000-000000000001";

fn link() -> pb::MemoryLink {
    pb::MemoryLink {
        from_id: FROM.to_owned(),
        relation: pb::Relation::DerivedFrom.into(),
        to_id: TO.to_owned(),
        created_at: Some(prost_types::Timestamp { seconds: 1, nanos: 0 }),
        ..pb::MemoryLink::default()
    }
}

/// Links of absent memories, so that everything within bounds is skipped.
fn import(links: Vec<pb::MemoryLink>) -> pb::ImportLinksRequest {
    pb::ImportLinksRequest { user_id: user(), links }
}

#[tokio::test]
async fn fields_of_a_link() {
    let judge = Judge::new().await;
    let of = |link: pb::MemoryLink| import(vec![link]);
    let weight = |weight| of(pb::MemoryLink { weight: Some(weight), ..link() });
    judge.holds("largest weight", "links[0].weight", weight(1.0), weight(1.001)).await;
    judge.holds("smallest weight", "links[0].weight", weight(0.0), weight(-0.001)).await;
    let confidence = |confidence| of(pb::MemoryLink { confidence: Some(confidence), ..link() });
    judge.holds("largest confidence", "links[0].confidence", confidence(1.0), confidence(1.001)).await;
    judge.refuses("no number", "links[0].confidence", confidence(f64::NAN)).await;
    let evidence = |evidence: String| of(pb::MemoryLink { evidence, ..link() });
    judge.holds("evidence", "links[0].evidence", evidence(long(1_024)), evidence(long(1_025))).await;
    judge.takes("NUL, which becomes a space", evidence("a\0b".to_owned())).await;
    let relation = |relation| of(pb::MemoryLink { relation, ..link() });
    judge.holds("relations", "links[0].relation", relation(11), relation(12)).await;
    judge.refuses("no relation", "links[0].relation", relation(0)).await;
    judge.refuses("to itself", "links[0].to_id", of(pb::MemoryLink { to_id: FROM.to_owned(), ..link() })).await;
}

#[tokio::test]
async fn imports_of_links() {
    let judge = Judge::new().await;
    let many = |n: u32| {
        let to = |n| pb::MemoryLink { to_id: format!("mem_01980000-0000-7000-8000-{:012}", n + 1), ..link() };
        import((0..n).map(to).collect())
    };
    judge.holds("most", "links", many(500), many(501)).await;
    judge.holds("fewest", "links", many(1), many(0)).await;
    judge.refuses("twice", "links[1]", import(vec![link(), link()])).await;
}

#[tokio::test]
async fn contradictions() {
    let judge = Judge::new().await;
    let page = |page_size| pb::ListContradictionsRequest { user_id: user(), page_size, ..Default::default() };
    judge.holds("most", "page_size", page(1_000), page(1_001)).await;
    judge.holds("fewest", "page_size", page(0), page(-1)).await;
    let mut ana = judge.system.user(&user());
    let (from_id, to_id) = (ana.remember("tea").await.id, ana.remember("no tea").await.id);
    let relation = pb::Relation::Contradicts.into();
    let link = pb::MemoryLink { from_id: from_id.clone(), relation, to_id: to_id.clone(), ..Default::default() };
    let link = pb::LinkRequest { user_id: user(), link: Some(link), request_id: String::new() };
    ana.clients.links.link(link).await.expect("a link");
    let of = |resolution| pb::ResolveContradictionRequest {
        user_id: user(),
        from_id: from_id.clone(),
        to_id: to_id.clone(),
        resolution,
        ..Default::default()
    };
    judge.holds("resolutions", "resolution", of(3), of(4)).await;
    judge.refuses("no resolution", "resolution", of(0)).await;
    let reason = |reason: String| pb::ResolveContradictionRequest { reason, ..of(3) };
    judge.holds("reason", "reason", reason(long(1_024)), reason(long(1_025))).await;
    let once = |bytes| pb::ResolveContradictionRequest { request_id: long(bytes), ..of(3) };
    judge.holds("request id", "request_id", once(128), once(129)).await;
}
