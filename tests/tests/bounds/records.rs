//! Bounds of calls on records.

use kimberly_proto::v1 as pb;
use kimberly_tests::kinds::relationship;

use super::{Judge, long, user};

#[tokio::test]
async fn lists_of_what_is_uncertain() {
    let judge = Judge::new().await;
    let below = |threshold| pb::ListUncertainRequest {
        user_id: user(),
        threshold: Some(threshold),
        ..pb::ListUncertainRequest::default()
    };
    judge.holds("largest threshold", "threshold", below(1.0), below(1.001)).await;
    judge.holds("smallest threshold", "threshold", below(f64::MIN_POSITIVE), below(0.0)).await;
    judge.refuses("no number", "threshold", below(f64::NAN)).await;
    let limit = |limit| pb::ListUncertainRequest { user_id: user(), limit, ..pb::ListUncertainRequest::default() };
    judge.holds("most", "limit", limit(1_000), limit(1_001)).await;
    judge.holds("fewest", "limit", limit(0), limit(-1)).await;
    let states = |state: pb::MemoryState| {
        let filter = pb::MemoryFilter { states: vec![state.into()], ..pb::MemoryFilter::default() };
        pb::ListUncertainRequest { user_id: user(), filter: Some(filter), ..pb::ListUncertainRequest::default() }
    };
    let (good, bad) = (states(pb::MemoryState::Active), states(pb::MemoryState::Archived));
    judge.holds("states", "filter.states", good, bad).await;
}

#[tokio::test]
async fn lists_of_what_is_unprocessed() {
    let judge = Judge::new().await;
    let limit = |limit| pb::ListUnprocessedRequest { user_id: user(), limit, ..pb::ListUnprocessedRequest::default() };
    judge.holds("most", "limit", limit(1_000), limit(1_001)).await;
    judge.holds("fewest", "limit", limit(0), limit(-1)).await;
    let filter = pb::MemoryFilter { states: vec![pb::MemoryState::Active.into()], ..pb::MemoryFilter::default() };
    let states = pb::ListUnprocessedRequest { filter: Some(filter), ..limit(0) };
    judge.refuses("states", "filter.states", states).await;
    let namespace = |namespace: String| pb::GetIdentityRequest { user_id: user(), namespace };
    judge.holds("namespace", "namespace", namespace(long(64)), namespace(long(65))).await;
}

#[tokio::test]
async fn forgetting_by_salience() {
    let judge = Judge::new().await;
    let below = |threshold| pb::ListForgettingCandidatesRequest {
        user_id: user(),
        threshold: Some(threshold),
        ..pb::ListForgettingCandidatesRequest::default()
    };
    judge.holds("largest threshold", "threshold", below(10.0), below(10.001)).await;
    judge.holds("smallest threshold", "threshold", below(f64::MIN_POSITIVE), below(0.0)).await;
    let run = || pb::RunForgettingRequest { user_id: user(), dry_run: true, ..pb::RunForgettingRequest::default() };
    let days = |half_life_days| pb::RunForgettingRequest { half_life_days, ..run() };
    judge.holds("longest half-life", "half_life_days", days(3_650), days(3_651)).await;
    judge.holds("shortest half-life", "half_life_days", days(1), days(-1)).await;
    let limit = |limit| pb::RunForgettingRequest { limit, ..run() };
    judge.holds("most", "limit", limit(1_000), limit(1_001)).await;
    judge.holds("fewest", "limit", limit(0), limit(-1)).await;
    let tier = |tier: pb::Tier| {
        let filter = pb::MemoryFilter { tiers: vec![tier.into()], ..pb::MemoryFilter::default() };
        pb::RunForgettingRequest { filter: Some(filter), ..run() }
    };
    judge.holds("tiers", "filter.tiers", tier(pb::Tier::LongTerm), tier(pb::Tier::Permanent)).await;
    let once = |bytes| pb::RunForgettingRequest { request_id: long(bytes), ..run() };
    judge.holds("request id", "request_id", once(128), once(129)).await;
}

#[tokio::test]
async fn searches_for_playbooks() {
    let judge = Judge::new().await;
    let of = |situation: &str| pb::FindPlaybooksRequest {
        user_id: user(),
        situation: situation.to_owned(),
        ..pb::FindPlaybooksRequest::default()
    };
    judge.holds("length of a situation", "situation", of(&long(8 * 1024)), of(&long(8 * 1024 + 1))).await;
    judge.holds("shortest situation", "situation", of("x"), of("")).await;
    let limit = |limit| pb::FindPlaybooksRequest { limit, ..of("x") };
    judge.holds("most", "limit", limit(100), limit(101)).await;
    judge.holds("fewest", "limit", limit(0), limit(-1)).await;
    let kinds = |kinds: &[pb::Kind]| {
        let kinds = kinds.iter().map(|kind| (*kind).into()).collect();
        let filter = Some(pb::MemoryFilter { kinds, ..pb::MemoryFilter::default() });
        pb::FindPlaybooksRequest { filter, ..of("x") }
    };
    judge.holds("kinds", "filter.kinds", kinds(&[]), kinds(&[pb::Kind::Playbook])).await;
}

#[tokio::test]
async fn meetings() {
    let judge = Judge::new().await;
    let id = judge.system.user(&user()).remember_draft(relationship("Chen", 0.5)).await.id;
    let met = |trust, sentiment| pb::RecordInteractionRequest {
        user_id: user(),
        id: id.clone(),
        trust: Some(trust),
        sentiment: Some(sentiment),
        request_id: String::new(),
    };
    judge.holds("most trust", "trust", met(1.0, 0.0), met(1.001, 0.0)).await;
    judge.holds("least trust", "trust", met(0.0, 0.0), met(-0.001, 0.0)).await;
    judge.holds("best sentiment", "sentiment", met(0.0, 1.0), met(0.0, 1.001)).await;
    judge.holds("worst sentiment", "sentiment", met(0.0, -1.0), met(0.0, -1.001)).await;
    let once = |bytes| pb::RecordInteractionRequest { request_id: long(bytes), ..met(0.5, 0.5) };
    judge.holds("request id", "request_id", once(128), once(129)).await;
    let verify = |bytes| pb::VerifyMemoryRequest {
        user_id: user(),
        id: id.clone(),
        request_id: long(bytes),
        ..pb::VerifyMemoryRequest::default()
    };
    judge.holds("request id", "request_id", verify(127), verify(129)).await;
    let unknown = pb::VerifyMemoryRequest { user_id: user(), id: "mem_1".to_owned(), ..Default::default() };
    judge.refuses("what is no id", "id", unknown).await;
}
