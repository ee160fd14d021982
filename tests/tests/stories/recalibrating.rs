//! Importance follows use: frequently read memories gain, and values set by a person stay.

use kimberly_proto::v1::{self as pb, Creator, DecisionAction, DecisionReason};
use kimberly_tests::drafts::draft;
use kimberly_tests::{System, eventually};

const RECALIBRATE: &[&str] = &["recalibrate"];

#[tokio::test]
async fn what_is_often_read_becomes_more_important_and_what_a_person_set_stays() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let of = |creator: Creator, content: &str| {
        let mut memory = pb::MemoryDraft { importance: 5, ..draft(content) };
        memory.set_created_by(creator);
        memory
    };
    let noted = ana.remember_draft(of(Creator::Agent, "The gate code changes on Mondays")).await.id;
    let given = ana.remember_draft(of(Creator::User, "The boat is blue")).await.id;
    for _ in 0..10 {
        ana.memory(&noted).await;
        ana.memory(&given).await;
    }
    let planned = eventually("it was read often", || {
        let mut ana = system.user("ana");
        async move { Some(ana.plan_of(RECALIBRATE).await).filter(|planned| !planned.is_empty()) }
    });
    let planned = planned.await;
    assert_eq!(planned.len(), 1, "{planned:?}");
    assert_eq!((&planned[0].memory_id, planned[0].action()), (&noted, DecisionAction::Recalibrate));
    assert_eq!(planned[0].reason(), DecisionReason::OftenRetrieved);
    let etag = ana.memory(&noted).await.etag;
    ana.night_of(RECALIBRATE).await;
    let after = ana.memory(&noted).await;
    assert_eq!((after.importance, after.etag), (6, etag), "it was not edited");
    assert_eq!(ana.memory(&given).await.importance, 5);
    assert!(ana.plan_of(RECALIBRATE).await.is_empty(), "a second night moves nothing");
}
