//! Stories of `MeditationService`. The tests do the worker's part by calling its use case.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail their test")]

use std::time::Duration;

use crate::common::{Served, USER, create, draft, fields, reason};
use kimberly_core::settings::{Origin, ServerDefaults};
use kimberly_core::{MeditationId, UserId};
use kimberly_proto::v1;
use kimberly_proto::v1::watch_meditation_response::Event;
use kimberly_runtime::config::ApiConfig;
use tonic::Code;

/// Creates a user whose long-term memories, about 2,300 bytes, exceed their quota of 2,200.
async fn over_quota() -> Served {
    let defaults = ServerDefaults { long_term_quota_bytes: (2_200, Origin::Config), ..ServerDefaults::default() };
    let served = Served::with(defaults, ApiConfig::default()).await;
    let mut held = 0;
    for n in 0.. {
        let receipt = served.create(create(draft(&format!("{n} {}", "word ".repeat(10))))).await.unwrap();
        held += receipt.size_bytes;
        if held > 2_300 {
            break;
        }
    }
    served
}

fn meditate(dry_run: bool) -> v1::MeditateRequest {
    v1::MeditateRequest { user_id: USER.to_owned(), dry_run, ..Default::default() }
}

fn watch(id: &str) -> v1::WatchMeditationRequest {
    v1::WatchMeditationRequest { user_id: USER.to_owned(), id: id.to_owned() }
}

async fn carry_out(served: &Served, id: &str) {
    let id = MeditationId::parse("id", id).unwrap();
    served.app.run_meditation(&UserId::parse(USER).unwrap(), id).await.unwrap();
}

#[tokio::test]
async fn plan_that_was_shown_is_the_plan_that_is_applied() {
    let served = over_quota().await;
    let plan = served.meditations().meditate(meditate(true)).await.unwrap().into_inner();
    let planned = plan.meditation.unwrap();
    assert!(planned.dry_run && planned.id.is_empty() && planned.archived > 0);
    assert_eq!(planned.status, v1::MeditationStatus::Complete as i32);
    assert!(plan.decisions.iter().zip(1..).all(|(decision, position)| decision.position == position));
    let real = v1::MeditateRequest { plan_token: plan.plan_token, request_id: "r".to_owned(), ..meditate(false) };
    let run = served.meditations().meditate(real.clone()).await.unwrap().into_inner().meditation.unwrap();
    assert_eq!(run.status, v1::MeditationStatus::Scheduled as i32);
    carry_out(&served, &run.id).await;
    assert_eq!(served.meditations().meditate(real).await.unwrap().into_inner().meditation.unwrap(), run);
    let get = v1::GetMeditationRequest { user_id: USER.to_owned(), id: run.id, page_size: 1, ..Default::default() };
    let first = served.meditations().get_meditation(get.clone()).await.unwrap().into_inner();
    let done = first.meditation.unwrap();
    assert_eq!((done.archived, done.archived_bytes), (planned.archived, planned.archived_bytes));
    assert_eq!(done.status, v1::MeditationStatus::Complete as i32);
    let (mut shown, mut token) = (first.decisions, first.next_page_token);
    while !token.is_empty() {
        let next = v1::GetMeditationRequest { page_token: token, ..get.clone() };
        let page = served.meditations().get_meditation(next).await.unwrap().into_inner();
        shown.extend(page.decisions);
        token = page.next_page_token;
    }
    let what =
        |decisions: &[v1::Decision]| decisions.iter().map(|d| (d.memory_id.clone(), d.action)).collect::<Vec<_>>();
    assert_eq!(what(&shown), what(&plan.decisions));
    let archived = served.get(&shown[0].memory_id).await.unwrap();
    assert_eq!(archived.state, v1::MemoryState::Archived as i32);
}

#[tokio::test]
async fn plan_that_no_longer_holds_is_refused() {
    let served = over_quota().await;
    let plan = served.meditations().meditate(meditate(true)).await.unwrap().into_inner();
    served.remember("something new").await;
    let real = v1::MeditateRequest { plan_token: plan.plan_token, ..meditate(false) };
    let (code, name, _) = reason(&served.meditations().meditate(real).await.unwrap_err());
    assert_eq!((code, name.as_str()), (Code::FailedPrecondition, "PLAN_CHANGED"));
}

#[tokio::test]
async fn watched_run_shows_every_decision_once_and_in_order_and_ends_complete() {
    let served = over_quota().await;
    let run = served.meditations().meditate(meditate(false)).await.unwrap().into_inner().meditation.unwrap();
    let mut events = served.meditations().watch_meditation(watch(&run.id)).await.unwrap().into_inner();
    let first = events.message().await.unwrap().unwrap().event.unwrap();
    assert!(matches!(first, Event::Progress(progress) if progress.status == v1::MeditationStatus::Scheduled as i32));
    carry_out(&served, &run.id).await;
    let (mut positions, mut last) = (Vec::new(), None);
    while let Some(event) = events.message().await.unwrap() {
        match event.event.unwrap() {
            Event::Decision(decision) => positions.push(decision.position),
            Event::Progress(progress) => last = Some(progress),
        }
    }
    let last = last.unwrap();
    assert_eq!(last.status, v1::MeditationStatus::Complete as i32);
    assert!(last.archived > 0);
    let expected: Vec<i64> = (1..=i64::try_from(positions.len()).unwrap()).collect();
    assert_eq!(positions, expected);
    let again = served.meditations().watch_meditation(watch(&run.id)).await.unwrap().into_inner();
    let replayed: Vec<_> = futures::TryStreamExt::try_collect(again).await.unwrap();
    assert_eq!(replayed.len(), positions.len() + 1, "a run that has ended is shown from its beginning");
}

#[tokio::test]
async fn watching_ends_with_the_server_and_with_the_callers_deadline() {
    let served = over_quota().await;
    let run = served.meditations().meditate(meditate(false)).await.unwrap().into_inner().meditation.unwrap();
    let mut request = tonic::Request::new(watch(&run.id));
    request.set_timeout(Duration::from_millis(300));
    let mut late = served.meditations().watch_meditation(request).await.unwrap().into_inner();
    late.message().await.unwrap().unwrap();
    let ended = late.message().await.unwrap_err();
    assert!(matches!(ended.code(), Code::DeadlineExceeded | Code::Cancelled), "{ended:?}");
    let mut watched = served.meditations().watch_meditation(watch(&run.id)).await.unwrap().into_inner();
    watched.message().await.unwrap().unwrap();
    served.api.stop.cancel();
    let (code, name, _) = reason(&watched.message().await.unwrap_err());
    assert_eq!((code, name.as_str()), (Code::Unavailable, "SHUTTING_DOWN"));
}

#[tokio::test]
async fn unknown_and_malformed_runs_are_refused() {
    let served = Served::start().await;
    let unknown = "med_01890000-0000-7000-8000-000000000000";
    let refused = served.meditations().watch_meditation(watch(unknown)).await.map(drop).unwrap_err();
    assert_eq!((reason(&refused).0, reason(&refused).1.as_str()), (Code::NotFound, "MEDITATION_NOT_FOUND"));
    let get = v1::GetMeditationRequest { user_id: USER.to_owned(), id: unknown.to_owned(), ..Default::default() };
    assert_eq!(reason(&served.meditations().get_meditation(get).await.unwrap_err()).1, "MEDITATION_NOT_FOUND");
    let refused = served.meditations().watch_meditation(watch("run")).await.map(drop).unwrap_err();
    assert_eq!(fields(&refused), ["id"]);
    let list = v1::ListMeditationsRequest { user_id: USER.to_owned(), page_size: -1, ..Default::default() };
    assert_eq!(fields(&served.meditations().list_meditations(list).await.unwrap_err()), ["page_size"]);
}

#[tokio::test]
async fn a_run_is_restricted_to_the_requested_steps_and_memories() {
    let served = over_quota().await;
    let all = served.meditations().meditate(meditate(true)).await.unwrap().into_inner();
    let ids = vec![all.decisions[0].memory_id.clone()];
    let ask = |steps: &[&str], ids: &[String]| v1::MeditateRequest {
        steps: steps.iter().map(|step| (*step).to_owned()).collect(),
        ids: ids.to_vec(),
        ..meditate(false)
    };
    let status = served.meditations().meditate(ask(&["retain", "dream"], &[])).await.unwrap_err();
    assert_eq!((status.code(), fields(&status)), (Code::InvalidArgument, vec!["steps[1]".to_owned()]));
    let run = served.meditations().meditate(ask(&["score", "retain"], &ids)).await.unwrap().into_inner();
    let run = run.meditation.unwrap();
    assert_eq!((run.asked_steps.join(" "), &run.asked_ids, run.steps.len()), ("score retain".to_owned(), &ids, 0));
    carry_out(&served, &run.id).await;
    let get = v1::GetMeditationRequest { user_id: USER.to_owned(), id: run.id, ..Default::default() };
    let done = served.meditations().get_meditation(get).await.unwrap().into_inner();
    let told: Vec<_> =
        done.decisions.iter().map(|d| (d.step.as_str(), &d.memory_id, d.explanation.is_empty())).collect();
    assert_eq!(told, [("retain", &ids[0], false)]);
    let run = done.meditation.unwrap();
    assert_eq!((run.steps.join(" "), run.archived), ("score retain".to_owned(), 1));
}
