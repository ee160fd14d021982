//! Links: stored, followed in both directions, hidden and erased with their memories.

use kimberly_proto::v1::{self as pb, Relation};
use kimberly_tests::drafts::draft;
use kimberly_tests::{System, User, reason};

async fn link(ana: &mut User, from: &str, relation: Relation, to: &str) -> pb::LinkResponse {
    let link = pb::MemoryLink {
        from_id: from.to_owned(),
        relation: relation.into(),
        to_id: to.to_owned(),
        evidence: "she said so".to_owned(),
        ..Default::default()
    };
    let request = pb::LinkRequest { user_id: ana.id(), link: Some(link), request_id: String::new() };
    ana.clients.links.link(request).await.expect("a link is stored").into_inner()
}

async fn links(ana: &mut User, id: &str) -> Vec<pb::MemoryLink> {
    let request = pb::ListLinksRequest { user_id: ana.id(), id: id.to_owned(), ..Default::default() };
    ana.clients.links.list_links(request).await.expect("links are listed").into_inner().links
}

async fn lineage(ana: &mut User, id: &str) -> Vec<(i32, i32, String)> {
    let request = pb::LineageRequest { user_id: ana.id(), id: id.to_owned(), ..Default::default() };
    let answer = ana.clients.links.lineage(request).await.expect("links are followed").into_inner();
    assert!(!answer.truncated);
    let step = |step: pb::LineageStep| {
        let link = step.link.expect("a link");
        let out = step.direction == i32::from(pb::LinkDirection::Out);
        (step.direction, step.depth, if out { link.to_id } else { link.from_id })
    };
    answer.steps.into_iter().map(step).collect()
}

#[tokio::test]
async fn a_belief_is_followed_back_to_what_it_rests_on_and_links_go_with_their_memories() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let drafts = ["raw", "episode", "belief", "value"].map(draft);
    let ids: Vec<String> = ana.remember_all(drafts.to_vec()).await.into_iter().map(|receipt| receipt.id).collect();
    for pair in ids.windows(2) {
        assert!(link(&mut ana, &pair[1], Relation::DerivedFrom, &pair[0]).await.created);
    }
    assert!(!link(&mut ana, &ids[1], Relation::DerivedFrom, &ids[0]).await.created, "it is overwritten");
    // A cycle terminates.
    link(&mut ana, &ids[0], Relation::DerivedFrom, &ids[3]).await;
    link(&mut ana, &ids[2], Relation::Mentions, &ids[3]).await;
    let (out, into): (i32, i32) = (pb::LinkDirection::Out.into(), pb::LinkDirection::In.into());
    let from_belief = lineage(&mut ana, &ids[2]).await;
    let expected = [(out, 1, &ids[1]), (out, 2, &ids[0]), (out, 3, &ids[3]), (out, 4, &ids[2])];
    assert_eq!(from_belief, expected.map(|(way, depth, id)| (way, depth, id.clone())));
    let listed = links(&mut ana, &ids[1]).await;
    assert_eq!(listed.len(), 2);
    let over = listed.iter().find(|link| link.from_id == ids[1]).expect("its own");
    assert!(over.verified_at.is_some() && over.evidence == "she said so" && over.weight() >= 1.0, "{over:?}");
    let request = pb::UnlinkRequest {
        user_id: ana.id(),
        from_id: ids[0].clone(),
        relation: Relation::DerivedFrom.into(),
        to_id: ids[3].clone(),
        request_id: "once".to_owned(),
    };
    for _ in 0..2 {
        let removed = ana.clients.links.unlink(request.clone()).await.expect("a link is removed").into_inner().removed;
        assert!(removed, "a replay is answered as the first");
    }
    assert_eq!(lineage(&mut ana, &ids[0]).await.len(), 3);
    assert!(lineage(&mut ana, &ids[0]).await.iter().all(|(way, ..)| *way == into));
    let erase = pb::ForgetMemoriesRequest { user_id: ana.id(), ids: vec![ids[1].clone()], request_id: String::new() };
    ana.clients.memories.forget_memories(erase).await.expect("a memory is erased");
    for id in &ids[1..] {
        let gone = pb::LineageRequest { user_id: ana.id(), id: id.clone(), ..Default::default() };
        let refused = ana.clients.links.lineage(gone).await.expect_err("it went, or rested on that alone");
        assert_eq!(reason(&refused), "MEMORY_NOT_FOUND");
    }
    assert_eq!(lineage(&mut ana, &ids[0]).await, [], "nothing rests on it any more");
}
