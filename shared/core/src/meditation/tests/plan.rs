//! Decisions of the steps in plain cases.

use super::*;
use crate::settings::StepSetting;

fn decide(trigger: Trigger, items: Vec<RetentionItem>) -> Vec<Change> {
    plan_of(snapshot(trigger, items), 0).decisions
}

fn with(user: &UserSettings, items: Vec<RetentionItem>) -> Vec<Change> {
    plan_of(Snapshot { settings: settings(user), ..snapshot(Trigger::Request, items) }, 0).decisions
}

#[test]
fn tier_within_its_quota_is_left_alone() {
    let items = (1..=10).map(|seq| active(seq, 0.1)).collect();
    assert_eq!(decide(Trigger::Request, items), []);
}

#[test]
fn tier_over_its_quota_gives_up_its_smallest_scores_until_it_fits() {
    let items = (1..=13).map(|seq| active(seq, f64::from(i32::try_from(seq % 5).unwrap()) / 10.0)).collect();
    let decisions = decide(Trigger::Quota, items);
    // 1,300 bytes, 1,024 allowed: three memories go; of equal scores the oldest.
    let gone = [10, 5, 11].map(|seq| (seq, Kind::Archive, Reason::OverQuota));
    assert_eq!(brief(&decisions), gone);
    assert_eq!(decisions[0].explanation(), "long_term holds 1.26 KiB of 1.00 KiB; score 0.000 is the smallest");
}

#[test]
fn protected_memories_neither_count_nor_go_and_say_so_when_met() {
    let mut items: Vec<_> = (1..=12).map(|seq| active(seq, 0.5)).collect();
    items[0] = RetentionItem { protected: true, score: 0.0, ..items[0].clone() };
    let decisions = decide(Trigger::Request, items);
    assert_eq!(
        brief(&decisions),
        [(1, Kind::Spare, Reason::Protected), (12, Kind::Archive, Reason::OverQuota)],
        "{decisions:?}"
    );
    assert_eq!(
        decisions[1].explanation(),
        "long_term holds 1.07 KiB of 1.00 KiB, protected ones not counted; score 0.500 is the smallest"
    );
}

#[test]
fn tiers_are_weighed_one_by_one_and_permanent_ones_may_be_archived() {
    let permanent = |seq| RetentionItem { tier: Tier::Permanent, ..active(seq, 0.9) };
    let items = (1..=8).map(|seq| active(seq, 0.1)).chain((9..=19).map(permanent)).collect();
    assert_eq!(brief(&decide(Trigger::Schedule, items)), [(19, Kind::Archive, Reason::OverQuota)]);
}

#[test]
fn short_term_memories_rotate_when_their_lifetime_ends() {
    let short = |seq| RetentionItem { tier: Tier::ShortTerm, ..active(seq, 0.9) };
    let items = vec![short(23), short(24), RetentionItem { protected: true, ..short(25) }, short(26), active(99, 0.0)];
    for trigger in [Trigger::Rotation, Trigger::Schedule, Trigger::Quota, Trigger::Request] {
        let decisions = decide(trigger, items.clone());
        assert_eq!(
            brief(&decisions),
            [
                (26, Kind::Archive, Reason::Expired),
                (25, Kind::Spare, Reason::Protected),
                (24, Kind::Archive, Reason::Expired)
            ]
        );
        assert_eq!(decisions[0].explanation(), "it is 26 h old and short_term memories live for about 24 h");
    }
}

#[test]
fn rotated_memories_no_longer_count_against_the_quota() {
    let short = |seq| RetentionItem { tier: Tier::ShortTerm, ..active(seq, 0.1) };
    let items = (1..=10).map(short).chain((30..=35).map(short)).collect();
    assert!(brief(&decide(Trigger::Request, items)).iter().all(|(_, _, reason)| *reason == Reason::Expired));
}

#[test]
fn ended_session_takes_only_its_own_short_term_memories() {
    let of = |seq, session| RetentionItem { tier: Tier::ShortTerm, session: Some(session), ..active(seq, 0.9) };
    let items = vec![of(1, 7), of(2, 8), RetentionItem { tier: Tier::LongTerm, ..of(3, 7) }, archived(4, 0.0)];
    let ended = Snapshot { session: Some(7), ..snapshot(Trigger::SessionEnd, items.clone()) };
    assert_eq!(brief(&plan_of(ended, 0).decisions), [(1, Kind::Archive, Reason::SessionEnded)]);
    assert_eq!(decide(Trigger::SessionEnd, items), []);
}

#[test]
fn nothing_is_erased_inside_its_grace_however_full_the_archive_is() {
    let inside = |seq| RetentionItem { delete_after: Some(Timestamp(NOON.0 + 1)), ..archived(seq, 0.0) };
    assert_eq!(decide(Trigger::Request, (1..=50).map(inside).collect()), []);
}

#[test]
fn after_its_grace_a_low_score_goes_and_a_good_one_stays() {
    let decisions = decide(Trigger::Rotation, vec![archived(1, 0.499), archived(2, 0.5)]);
    assert_eq!(brief(&decisions), [(1, Kind::Delete, Reason::GracePassed), (2, Kind::Spare, Reason::ScoresWell)]);
    assert_eq!(decisions[0].explanation(), "its grace ended 1 h ago and score 0.499 is below 0.500");
    assert_eq!(decisions[1].explanation(), "score 0.500 is not below 0.500, although its grace ended 1 h ago");
}

#[test]
fn archive_over_its_allowance_gives_up_good_scores_too_smallest_first() {
    let items = (1..=12).map(|seq| archived(seq, 0.9 - f64::from(i32::try_from(seq).unwrap()) / 100.0)).collect();
    let decisions = decide(Trigger::Request, items);
    let gone: Vec<_> = decisions.iter().filter(|d| d.kind == Kind::Delete).map(|d| (d.seq().0, d.reason)).collect();
    assert_eq!(gone, [(12, Reason::ArchiveOverAllowance), (11, Reason::ArchiveOverAllowance)]);
    assert_eq!(
        decisions[0].explanation(),
        "its grace ended 1 h ago and the archive holds 1.17 KiB of 1.00 KiB; score 0.780 is the smallest"
    );
}

#[test]
fn protected_and_permanent_memories_are_never_erased_by_the_system() {
    let items = vec![
        RetentionItem { protected: true, ..archived(1, 0.0) },
        RetentionItem { tier: Tier::Permanent, ..archived(2, 0.0) },
    ];
    let spared = [(2, Kind::Spare, Reason::Permanent), (1, Kind::Spare, Reason::Protected)];
    assert_eq!(brief(&decide(Trigger::Request, items.clone())), spared);
    let full = UserSettings { archive_allowance_bytes: Some(1_024), low_score: Some(1.0), ..tight() };
    assert_eq!(brief(&with(&full, items)), spared);
}

#[test]
fn what_its_owner_deleted_goes_after_its_grace_whatever_it_is_and_without_a_cap() {
    let deleted = |seq| RetentionItem { state: MemoryState::Deleted, ..archived(seq, 1.0) };
    let items = vec![
        RetentionItem { protected: true, ..deleted(1) },
        RetentionItem { tier: Tier::Permanent, ..deleted(2) },
        RetentionItem { delete_after: Some(Timestamp(NOON.0 + 1)), ..deleted(3) },
    ];
    let decisions = with(&UserSettings { daily_prune_cap_bytes: Some(0), ..tight() }, items);
    let gone = [1, 2].map(|seq| (seq, Kind::Delete, Reason::OwnerDeleted));
    assert_eq!(brief(&decisions), gone);
    assert_eq!(decisions[0].explanation(), "its owner deleted it and its grace ended 1 h ago");
}

#[test]
fn daily_cap_spares_what_does_not_fit_for_today() {
    let user = UserSettings { daily_prune_cap_bytes: Some(250), ..tight() };
    let big = RetentionItem { size_bytes: 200, ..archived(2, 0.2) };
    let decisions = with(&user, vec![archived(1, 0.1), big, archived(3, 0.3), archived(4, 0.4)]);
    assert_eq!(
        brief(&decisions),
        [
            (1, Kind::Delete, Reason::GracePassed),
            (2, Kind::Spare, Reason::DailyCap),
            (3, Kind::Delete, Reason::GracePassed),
            (4, Kind::Spare, Reason::DailyCap),
        ]
    );
    assert_eq!(
        decisions[1].explanation(),
        "today's cap of 250 bytes leaves no room for its 200 bytes, although its grace ended 1 h ago and score 0.200 \
         is below 0.500"
    );
    let spent =
        Snapshot { settings: settings(&user), erased_today: 200, ..snapshot(Trigger::Request, vec![archived(1, 0.1)]) };
    assert_eq!(brief(&plan_of(spent, 0).decisions), [(1, Kind::Spare, Reason::DailyCap)]);
}

#[test]
fn memory_that_waits_for_the_cap_does_not_push_out_a_better_one() {
    let user = UserSettings { daily_prune_cap_bytes: Some(150), ..tight() };
    let big = RetentionItem { size_bytes: 200, ..archived(1, 0.6) };
    let items = vec![big, RetentionItem { size_bytes: 900, ..archived(2, 0.9) }, archived(3, 0.8)];
    assert_eq!(
        brief(&with(&user, items)),
        [
            (1, Kind::Spare, Reason::DailyCap),
            (3, Kind::Spare, Reason::ScoresWell),
            (2, Kind::Spare, Reason::ScoresWell),
        ]
    );
}

#[test]
fn memory_archived_by_this_run_is_not_erased_by_it_even_without_any_grace() {
    let no_grace = UserSettings { grace: Some(Span(0)), ..tight() };
    let items: Vec<_> = (1..=11).map(|seq| active(seq, 0.1)).collect();
    let once = Snapshot { settings: settings(&no_grace), ..snapshot(Trigger::Request, items) };
    assert_eq!(brief(&plan_of(once, 0).decisions), [(11, Kind::Archive, Reason::OverQuota)]);
}

#[test]
fn plan_sums_up_what_it_finds_and_leaves_in_each_tier() {
    let items = (1..=12).map(|seq| active(seq, 0.1)).chain([archived(20, 0.1)]).collect();
    let plan = plan_of(snapshot(Trigger::Request, items), 3);
    let long = plan.tiers.iter().find(|summary| summary.tier == Tier::LongTerm).unwrap();
    assert_eq!((long.bytes_before, long.bytes_after, long.quota_bytes), (1_200, 1_000, 1_024));
    assert_eq!((long.archived, long.deleted, plan.scored), (2, 1, 3));
    assert_eq!((plan.total(kinds::Effect::Archives), plan.total(kinds::Effect::Erases)), ((2, 200), (1, 100)));
}

#[test]
fn tokens_differ_as_soon_as_a_decision_does() {
    let plan = |items| plan_of(snapshot(Trigger::Request, items), 0);
    let one = plan(vec![archived(1, 0.1)]);
    assert_eq!(one.token(), plan(vec![archived(1, 0.2), active(2, 0.1)]).token());
    for other in [vec![], vec![archived(1, 0.6)], vec![archived(2, 0.1)], vec![archived(1, 0.1), archived(2, 0.1)]] {
        assert_ne!(one.token(), plan(other).token());
    }
}

#[test]
fn an_operators_cap_overrides_the_cap_of_a_step() {
    let mut picture = snapshot(Trigger::Schedule, Vec::new());
    assert_eq!(steps::left(&picture, "temper", 500), 500);
    picture.done_here.insert("temper", 499);
    assert_eq!(steps::left(&picture, "temper", 500), 1);
    for (cap, expected) in [(1_000, 501), (499, 0)] {
        picture.settings.steps.0.insert("temper", StepSetting { cap: Some(cap), ..StepSetting::default() });
        assert_eq!(steps::left(&picture, "temper", 500), expected);
    }
}
