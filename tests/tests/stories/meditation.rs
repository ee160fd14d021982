//! Plans, runs, quotas, the worker.

use kimberly_proto::v1::{
    self as pb, DecisionAction, DecisionReason, MeditationStatus, MeditationTrigger, MemoryState, Tier,
};
use kimberly_tests::corpus::Corpus;
use kimberly_tests::drafts::draft;
use kimberly_tests::{System, User, eventually, reason};
use tonic::Code;

/// Memories of some hundred bytes each in the long-term tier.
async fn fill(user: &mut User, count: usize) -> Vec<pb::MemoryReceipt> {
    let mut corpus = Corpus::new(7);
    let drafts = (0..count).map(|n| draft(&format!("{n}: {} {}", corpus.text().content, "pad ".repeat(60)))).collect();
    user.remember_all(drafts).await
}

fn bytes(receipts: &[pb::MemoryReceipt]) -> i64 {
    receipts.iter().map(|receipt| receipt.size_bytes).sum()
}

/// Sets the quota of the long-term tier.
async fn set_quota(user: &mut User, bytes: i64) {
    let settings = pb::UserSettings { long_term_quota_bytes: Some(bytes), ..pb::UserSettings::default() };
    user.set(settings, &["long_term_quota_bytes"]).await;
}

fn long_term(metrics: &pb::UserMetrics) -> &pb::TierUsage {
    metrics.tiers.iter().find(|tier| tier.tier() == Tier::LongTerm).expect("usage of the long-term tier")
}

#[tokio::test]
async fn the_plan_that_was_shown_is_the_plan_that_is_applied() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let receipts = fill(&mut ana, 60).await;
    let quota = bytes(&receipts) * 8 / 10;
    set_quota(&mut ana, quota).await;

    let before = ana.everything().await;
    let plan = ana.plan().await;
    assert_eq!(ana.everything().await, before, "a dry run changed something");
    let planned = plan.meditation.clone().expect("the plan's record");
    assert!(planned.dry_run && planned.id.is_empty() && planned.archived > 0);
    let retained = |d: &&pb::Decision| d.step == "retain";
    let retaining: Vec<&pb::Decision> = plan.decisions.iter().filter(retained).collect();
    assert_eq!(i64::try_from(retaining.len()).ok(), Some(planned.archived));
    assert!(retaining.iter().all(|d| d.action() == DecisionAction::Archive && d.reason() == DecisionReason::OverQuota));
    assert!(plan.decisions.iter().all(|d| !d.explanation.is_empty()));

    let request = pb::MeditateRequest { user_id: ana.id(), plan_token: plan.plan_token.clone(), ..Default::default() };
    let started = ana.clients.meditations.meditate(request).await.expect("the plan still holds").into_inner();
    let run = ana.meditation_ended(&started.meditation.expect("a run").id).await;
    assert_eq!(run.status(), MeditationStatus::Complete, "{}", run.error);
    let applied = ana.run(&run.id).await.decisions;
    let key = |d: &pb::Decision| (d.memory_id.clone(), d.action, d.reason, d.position, d.size_bytes, d.score.to_bits());
    assert_eq!(applied.iter().map(key).collect::<Vec<_>>(), plan.decisions.iter().map(key).collect::<Vec<_>>());
    assert_eq!((run.archived, run.archived_bytes), (planned.archived, planned.archived_bytes));

    let metrics = ana.metrics().await;
    assert!(long_term(&metrics).bytes <= quota);
    assert_eq!(metrics.archive.expect("the archive").items, planned.archived);
    for decision in applied.iter().filter(retained) {
        assert_eq!(ana.memory(&decision.memory_id).await.state(), MemoryState::Archived);
    }
}

#[tokio::test]
async fn a_plan_that_no_longer_holds_is_refused() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let receipts = fill(&mut ana, 20).await;
    set_quota(&mut ana, bytes(&receipts) / 2).await;
    let plan = ana.plan().await;
    ana.forget(&plan.decisions[0].memory_id).await;
    let request = pb::MeditateRequest { user_id: ana.id(), plan_token: plan.plan_token, ..Default::default() };
    match ana.clients.meditations.meditate(request).await {
        Err(refused) => {
            assert_eq!((refused.code(), reason(&refused).as_str()), (Code::FailedPrecondition, "PLAN_CHANGED"));
        }
        Ok(started) => panic!("a plan that no longer holds was taken: {started:?}"),
    }
    assert_eq!(ana.everything().await.iter().filter(|m| m.state() == MemoryState::Archived).count(), 0);
}

#[tokio::test]
async fn crossing_a_quota_starts_a_meditation_in_the_worker() {
    let system = System::start_with(&[("KIMBERLY_QUOTAS__LONG_TERM", "16KiB")]).await;
    let ana = system.user("ana");
    let mut writer = ana.clone();
    let mut stored = 0;
    while stored <= 16 * 1024 {
        stored += writer.remember(&format!("{stored}: {}", "some words to fill the tier ".repeat(15))).await.size_bytes;
    }
    let run = eventually("the worker meditates", || async {
        let runs = ana.clone().runs().await;
        runs.into_iter()
            .find(|run| run.trigger() == MeditationTrigger::Quota && run.status() == MeditationStatus::Complete)
    })
    .await;
    assert!(run.archived > 0);
    assert!(long_term(&ana.clone().metrics().await).bytes <= 16 * 1024);
}

#[tokio::test]
async fn a_full_tier_refuses_with_numbers_and_changes_nothing() {
    let mut system = System::start_with(&[("KIMBERLY_QUOTAS__LONG_TERM", "4KiB")]).await;
    // Without the worker, nothing makes room.
    system.worker.kill9();
    let mut ana = system.user("ana");
    let refused = loop {
        let memory = Some(draft(&"words ".repeat(100)));
        let request =
            pb::CreateMemoryRequest { user_id: ana.id(), memory, request_id: String::new(), always_new: true };
        if let Err(refused) = ana.clients.memories.create_memory(request).await {
            break refused;
        }
    };
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::ResourceExhausted, "QUOTA_EXCEEDED"));
    let failure = tonic_types::StatusExt::get_details_quota_failure(&refused).expect("a QuotaFailure");
    let said = format!("{:?}", failure.violations);
    let used = long_term(&ana.metrics().await).bytes;
    assert!(said.contains("long_term") && said.contains(&used.to_string()) && said.contains("5120"), "{said}");
    assert!(used <= 5120 && used > 4096, "125 % of 4 KiB is the hard limit, {used} bytes are used");
    system.worker.start_again();
    eventually("the waiting job is done after the worker is back", || async {
        (long_term(&ana.clone().metrics().await).bytes <= 4096).then_some(())
    })
    .await;
}

#[tokio::test]
async fn protected_memories_are_spared() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let content = "x".repeat(500);
    let protected = pb::MemoryDraft { protected: true, ..draft(&content) };
    let kept = ana.remember_draft(protected).await;
    let receipts = fill(&mut ana, 10).await;
    set_quota(&mut ana, 1024).await;
    let run = ana.meditate().await;
    assert!(run.archived > 0 && bytes(&receipts) > 1024);
    let left = ana.list(pb::MemoryFilter::default()).await;
    let unprotected: i64 = left.iter().filter(|memory| !memory.protected).map(|memory| memory.size_bytes).sum();
    assert!(unprotected <= 1024, "{unprotected} bytes are left beside the protected ones");
    assert_eq!(ana.memory(&kept.id).await.state(), MemoryState::Active);
}

#[tokio::test]
async fn archived_memory_is_rescued_inside_grace_and_protected() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let receipts = fill(&mut ana, 10).await;
    set_quota(&mut ana, bytes(&receipts) / 2).await;
    ana.meditate().await;
    let archived =
        ana.everything().await.into_iter().find(|m| m.state() == MemoryState::Archived).expect("one was archived");
    assert!(archived.delete_after.is_some() && archived.archived_at.is_some());
    let request = pb::RestoreMemoryRequest {
        user_id: ana.id(),
        id: archived.id.clone(),
        protect: true,
        request_id: String::new(),
    };
    ana.clients.memories.restore_memory(request).await.expect("it is in grace");
    ana.meditate().await;
    let now = ana.memory(&archived.id).await;
    assert_eq!((now.state(), now.protected), (MemoryState::Active, true));
}

#[tokio::test]
async fn a_watched_run_streams_its_decisions_and_ends() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let receipts = fill(&mut ana, 200).await;
    set_quota(&mut ana, bytes(&receipts) / 4).await;
    let request = pb::MeditateRequest { user_id: ana.id(), ..Default::default() };
    let run = ana.clients.meditations.meditate(request).await.expect("a run").into_inner().meditation.expect("a run");
    assert_eq!(run.status(), MeditationStatus::Scheduled);
    let watch = pb::WatchMeditationRequest { user_id: ana.id(), id: run.id.clone() };
    for attempt in ["from the beginning", "after the end"] {
        let mut events = ana.clients.meditations.watch_meditation(watch.clone()).await.expect("a stream").into_inner();
        let (mut last, mut decisions, mut positions) = (None, 0, 0);
        while let Some(event) = events.message().await.expect("the stream goes on") {
            match event.event.expect("an event") {
                pb::watch_meditation_response::Event::Progress(progress) => last = Some(progress),
                pb::watch_meditation_response::Event::Decision(decision) => {
                    positions += 1;
                    assert_eq!(decision.position, positions, "decisions come in order");
                    decisions += i64::from(decision.step == "retain");
                }
            }
        }
        let last = last.expect("progress");
        assert_eq!(last.status(), MeditationStatus::Complete, "watched {attempt}: {}", last.error);
        assert_eq!(decisions, last.archived);
    }
    let missing = pb::WatchMeditationRequest { id: "med_01890a5d-ac96-774b-bcce-b302099a8057".to_owned(), ..watch };
    let refused = match ana.clients.meditations.watch_meditation(missing).await {
        Err(refused) => refused,
        Ok(stream) => stream.into_inner().message().await.expect_err("a run that does not exist was watched"),
    };
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::NotFound, "MEDITATION_NOT_FOUND"));
}

#[tokio::test]
async fn a_run_whose_worker_is_killed_again_and_again_ends_once() {
    let mut system = System::start().await;
    let mut ana = system.user("ana");
    let mut receipts = Vec::new();
    for _ in 0..4 {
        receipts.extend(fill(&mut ana, 1_000).await);
    }
    set_quota(&mut ana, bytes(&receipts) / 2).await;
    let request = pb::MeditateRequest { user_id: ana.id(), ..Default::default() };
    let id = ana.clients.meditations.meditate(request).await.expect("a run").into_inner().meditation.expect("a run").id;
    for pause in [5, 15, 40, 80] {
        tokio::time::sleep(std::time::Duration::from_millis(pause)).await;
        system.worker.kill9();
        system.worker.start_again();
        system.wait_until_worker_serves().await;
    }
    let run = ana.meditation_ended(&id).await;
    assert_eq!(run.status(), MeditationStatus::Complete, "{}", run.error);
    // The smaller quota schedules a run too; either of the two runs may come first and do all the work.
    for other in ana.runs().await {
        ana.meditation_ended(&other.id).await;
    }
    let recorded = ana.runs().await.iter().fold((0, 0), |(n, size), run| (n + run.archived, size + run.archived_bytes));
    let archived = ana.everything().await.into_iter().filter(|m| m.state() == MemoryState::Archived);
    let happened = archived.fold((0, 0), |(count, size), m| (count + 1, size + m.size_bytes));
    assert_eq!(recorded, happened, "the runs' records differ from what happened");
    assert!(happened.0 > 0);
    assert!(long_term(&ana.metrics().await).bytes <= bytes(&receipts) / 2);
}
