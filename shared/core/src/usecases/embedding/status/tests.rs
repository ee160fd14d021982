//! Tests of states and their reasons.

use super::*;
use crate::embedding::{ModelKey, OverCap, Window};

const NOW: Timestamp = Timestamp(20_418 * 86_400_000_000 + 12 * 3_600_000_000);

fn limits() -> EmbeddingLimits {
    EmbeddingLimits {
        server_on: true,
        user_on: true,
        vector_cap: 200,
        over_cap: OverCap::Disable,
        daily: 100,
        weekly: 0,
        system_daily: 0,
        window: Window::default(),
    }
}

fn state(limits: EmbeddingLimits, needed: u64, missing: u64, change: fn(&mut EmbeddingLedger)) -> EmbeddingStatus {
    let report = EmbeddingReport { at: NOW, needed, missing, failed: 0, version: 5 };
    let mut ledger = EmbeddingLedger { report: Some(report), version: 5, ..EmbeddingLedger::default() };
    change(&mut ledger);
    stand(NOW, limits, ledger, Some(index()), 0)
}

fn index() -> IndexState {
    let model = ModelKey::new("m", "0123456789abcdef", 8).unwrap();
    IndexState { model, items: 3, vectors: 3, in_sync_at: None, disk_bytes: 8_192 }
}

#[test]
fn an_index_that_is_gone_is_not_in_sync_unless_nothing_belongs_there() {
    for (needed, expected) in [(0, EmbeddingState::InSync), (3, EmbeddingState::Pending)] {
        let report = EmbeddingReport { at: NOW, needed, version: 5, ..EmbeddingReport::default() };
        let ledger = EmbeddingLedger { report: Some(report), version: 5, ..EmbeddingLedger::default() };
        assert_eq!(stand(NOW, limits(), ledger, None, 0).state, expected);
        assert_eq!(stand(NOW, limits(), ledger, Some(index()), 0).state, EmbeddingState::InSync);
    }
}

#[test]
fn a_spent_budget_is_said_before_the_window_and_while_changes_wait() {
    let limits = EmbeddingLimits { system_daily: 40, ..limits() };
    let report = EmbeddingReport { at: NOW, needed: 3, missing: 3, failed: 1, version: 5 };
    let ledger = EmbeddingLedger { report: Some(report), version: 5, ..EmbeddingLedger::default() };
    let status = |ledger, today| stand(NOW, limits, ledger, Some(index()), today);
    assert_eq!(status(ledger, 10).reason, "waits for 01:00 UTC");
    let spent = status(ledger, 40);
    assert_eq!(spent.state, EmbeddingState::Held(Hold::SystemBudget));
    assert!(spent.next.is_some() && spent.reason == "the server's budget for today is used up", "{spent:?}");
    let waiting = EmbeddingLedger { waiting: true, report: None, ..ledger };
    assert_eq!(status(waiting, 10).reason, "waiting for the embedder to pick up changes");
    let told = "waiting for the embedder to pick up changes; the server's budget for today is used up";
    assert_eq!((status(waiting, 40).state, status(waiting, 40).reason.as_str()), (EmbeddingState::Pending, told));
    let own = status(EmbeddingLedger { today: 100, ..waiting }, 10).reason;
    assert_eq!(own, "waiting for the embedder to pick up changes; daily limit reached: 100 vectors");
}

#[test]
fn every_state_says_why() {
    let off = EmbeddingLimits { server_on: false, ..limits() };
    assert_eq!(state(off, 0, 0, |_| {}).reason, "embeddings are off on this server");
    let own = EmbeddingLimits { user_on: false, ..limits() };
    let status = state(own, 0, 0, |_| {});
    assert!(!status.is_on() && status.reason.contains("for this user"));
    assert_eq!(state(limits(), 3, 0, |_| {}).state, EmbeddingState::InSync);
    assert_eq!(state(limits(), 3, 3, |ledger| ledger.waiting = true).state, EmbeddingState::Pending);
    assert_eq!(state(limits(), 3, 0, |ledger| ledger.version = 6).state, EmbeddingState::Pending);
    assert_eq!(state(limits(), 3, 0, |ledger| *ledger = EmbeddingLedger::default()).state, EmbeddingState::InSync);
    let under_way = state(limits(), 300, 200, |ledger| {
        if let Some(report) = &mut ledger.report {
            report.version = EmbeddingReport::UNDER_WAY;
        }
    });
    assert_eq!(under_way.state, EmbeddingState::Pending);
    assert_eq!(under_way.reason, "200 of 300 vectors are being computed");
    let waits = state(limits(), 3, 3, |_| {});
    assert_eq!(waits.reason, "waits for 01:00 UTC");
    assert!(waits.next.is_some() && waits.is_on());
    let over = state(limits(), 201, 201, |_| {});
    assert_eq!((over.reason.as_str(), over.is_on(), over.next), ("over the cap: 201 vectors of 200", false, None));
    let best = EmbeddingLimits { over_cap: OverCap::Best, ..limits() };
    let full = state(best, 350, 0, |_| {});
    assert_eq!((full.state, full.is_on()), (EmbeddingState::InSync, true));
    assert_eq!(
        full.reason,
        "350 vectors are needed, but vector_cap is 200; the marked and best-scored memories have them"
    );
    assert!(state(limits(), 3, 3, |ledger| ledger.today = 100).reason.contains("daily limit reached"));
    let always = EmbeddingLimits { window: Window::Always, ..limits() };
    assert_eq!(state(always, 3, 3, |_| {}).state, EmbeddingState::Pending);
    let failed = state(always, 3, 1, |ledger| {
        if let Some(report) = &mut ledger.report {
            report.failed = 1;
        }
    });
    assert_eq!(failed.state, EmbeddingState::Failed);
}
