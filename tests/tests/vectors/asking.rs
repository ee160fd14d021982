//! Cap, limits, window and budget from a user's view.

use kimberly_proto::v1 as pb;
use kimberly_tests::drafts::draft;
use kimberly_tests::{System, eventually, reason};
use pb::EmbeddingState as State;

use super::offline::kimberly;
use super::world::{embedding, has, stands, status};

fn notes(from: usize, to: usize) -> Vec<pb::MemoryDraft> {
    (from..to).map(|n| draft(&format!("note number {n} about the garden"))).collect()
}

#[tokio::test]
async fn over_the_cap_embedding_is_off_and_comes_back_below_it() {
    let disable = ("KIMBERLY_EMBEDDING__OVER_CAP", "disable");
    let system = embedding(&[("KIMBERLY_EMBEDDING__VECTOR_CAP", "5"), disable]).await;
    let mut ana = system.user("ana");
    let first = ana.remember_all(notes(0, 5)).await;
    has(&ana, 5).await;
    ana.remember_all(notes(5, 6)).await;
    let over = stands(&ana, State::OverCap).await;
    assert_eq!((over.reason.as_str(), over.vectors), ("over the cap: 6 vectors of 5", 0));
    let metrics = ana.metrics().await;
    assert!(!metrics.embedding_enabled);
    assert!(!ana.recall("garden").await.is_empty(), "recall by words still works");
    ana.forget(&first[0].id).await;
    has(&ana, 5).await;
    ana.remember_all(notes(6, 7)).await;
    stands(&ana, State::OverCap).await;
    let raised = ana.set(pb::UserSettings { vector_cap: Some(10), ..Default::default() }, &["vector_cap"]).await;
    let held = raised.effective.expect("settings").vector_cap.expect("a cap");
    assert_eq!((held.value, held.origin()), (10, pb::SettingOrigin::User));
    has(&ana, 6).await;
}

#[tokio::test]
async fn the_daily_limit_applies_to_requests_too() {
    let system = embedding(&[("KIMBERLY_EMBEDDING__DAILY_LIMIT", "3")]).await;
    let mut ana = system.user("ana");
    ana.remember_all(notes(0, 5)).await;
    let held = stands(&ana, State::DailyLimit).await;
    assert_eq!((held.vectors, held.missing_vectors, held.computed_today, held.daily_limit), (3, 2, 3, 3));
    assert!(held.next_run.is_some() && held.reason.contains("daily limit reached"));
    let request = pb::RequestEmbeddingRequest { user_id: ana.id(), ..Default::default() };
    ana.clients.embedding.request_embedding(request).await.expect("an answer");
    assert_eq!(stands(&ana, State::DailyLimit).await.vectors, 3);
    let more = pb::UserSettings { daily_embedding_limit: Some(0), ..Default::default() };
    ana.set(more, &["daily_embedding_limit"]).await;
    has(&ana, 5).await;
}

#[tokio::test]
async fn outside_of_the_window_a_request_is_what_it_takes() {
    let system = embedding(&[("KIMBERLY_EMBEDDING__WINDOW", closed_window().as_str())]).await;
    let mut ana = system.user("ana");
    ana.remember_all(notes(0, 2)).await;
    let waits = stands(&ana, State::WaitsForWindow).await;
    assert!(waits.reason.starts_with("waits for ") && waits.next_run.is_some() && waits.vectors == 0);
    let request = pb::RequestEmbeddingRequest { user_id: ana.id(), request_id: "r".to_owned() };
    ana.clients.embedding.request_embedding(request).await.expect("an answer");
    has(&ana, 2).await;
    let gone = ana.remember("note that goes again").await;
    stands(&ana, State::WaitsForWindow).await;
    ana.forget(&gone.id).await;
    has(&ana, 2).await;
}

#[tokio::test]
async fn the_command_waits_for_vectors_and_says_what_holds_the_rest_back() {
    let closed = ("KIMBERLY_EMBEDDING__WINDOW", closed_window());
    let system = embedding(&[(closed.0, &closed.1), ("KIMBERLY_EMBEDDING__SYSTEM_DAILY_BUDGET", "4")]).await;
    let mut ana = system.user("ana");
    ana.remember_all(notes(0, 3)).await;
    stands(&ana, State::WaitsForWindow).await;
    let waited = kimberly(&system, &["embed", "--wait", "--user", "ana"]).output().await.expect("the command runs");
    assert!(waited.status.success(), "{}", String::from_utf8_lossy(&waited.stderr));
    assert_eq!(status(&ana).await.vectors, 3);
    ana.remember_all(notes(3, 6)).await;
    let held = kimberly(&system, &["embed", "--wait", "--user", "ana"]).output().await.expect("the command runs");
    let told = String::from_utf8_lossy(&held.stderr).into_owned();
    assert_eq!(held.status.code(), Some(1), "{told}");
    assert!(told.contains("2 vectors are missing: the server's budget for today is used up"), "{told}");
    let status = status(&ana).await;
    assert_eq!((status.state(), status.vectors), (State::SystemBudget, 4), "although the window is closed, too");
    assert!(status.next_run.is_some());
}

/// A window that stays closed during a test: one hour long, and twelve hours from now.
#[expect(clippy::disallowed_methods, reason = "the processes under test go by the real clock")]
fn closed_window() -> String {
    let seconds = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("a clock").as_secs();
    let hour = (seconds / 3_600 + 12) % 24;
    format!("{hour:02}:00-{:02}:00", (hour + 1) % 24)
}

#[tokio::test]
async fn the_servers_budget_is_for_all_users_together() {
    let system = embedding(&[("KIMBERLY_EMBEDDING__SYSTEM_DAILY_BUDGET", "4")]).await;
    let (mut ana, mut bob) = (system.user("ana"), system.user("bob"));
    ana.remember_all(notes(0, 3)).await;
    has(&ana, 3).await;
    bob.remember_all(notes(0, 3)).await;
    let held = stands(&bob, State::SystemBudget).await;
    assert!(held.vectors <= 1, "{held:?}");
    let request = pb::GetMetricsRequest::default();
    let answer = bob.clients.metrics.get_metrics(request).await.expect("metrics").into_inner().metrics;
    let Some(pb::get_metrics_response::Metrics::System(metrics)) = answer else { panic!("no system metrics") };
    assert!(metrics.embedding_enabled && metrics.embedding_queue.is_some());
    assert_eq!(metrics.embedding_daily_budget, 4);
    assert!((3..=4).contains(&metrics.embeddings_computed_today));
}

#[tokio::test]
async fn a_user_with_embeddings_off_has_none_and_the_status_says_so() {
    let system = embedding(&[]).await;
    let mut ana = system.user("ana");
    ana.remember_all(notes(0, 2)).await;
    has(&ana, 2).await;
    let off = pb::UserSettings { embedding_enabled: Some(false), ..Default::default() };
    ana.set(off, &["embedding_enabled"]).await;
    eventually("the vectors are gone", || async {
        let status = status(&ana).await;
        (status.state() == State::UserOff && status.vectors == 0).then_some(())
    })
    .await;
    let request = pb::RequestEmbeddingRequest { user_id: ana.id(), ..Default::default() };
    let refused = ana.clients.embedding.request_embedding(request).await.expect_err("a refusal");
    assert_eq!(reason(&refused), "EMBEDDINGS_OFF");
    ana.set(pb::UserSettings::default(), &["embedding_enabled"]).await;
    has(&ana, 2).await;
}

#[tokio::test]
async fn embeddings_that_are_turned_on_later_need_no_command() {
    let mut system = System::start().await;
    let mut ana = system.user("ana");
    ana.remember_all(notes(0, 3)).await;
    assert_eq!(status(&ana).await.state(), State::ServerOff);
    let model = kimberly_tests::model::minilm().display().to_string();
    for process in [&mut system.api, &mut system.worker, &mut system.embedder] {
        process.stop();
        process.set("KIMBERLY_EMBEDDER__MODEL", &model);
        process.set("KIMBERLY_EMBEDDING__WINDOW", "always");
        process.start_again();
    }
    system.wait_until_serving().await;
    has(&ana, 3).await;
}
