//! Tests of when vectors are computed.

use proptest::prelude::*;

use super::*;

/// A Wednesday, 02:00.
const NIGHT: Timestamp = Timestamp(20_418 * 86_400_000_000 + 2 * 3_600_000_000);
const NOON: Timestamp = Timestamp(20_418 * 86_400_000_000 + 12 * 3_600_000_000);

fn limits() -> EmbeddingLimits {
    EmbeddingLimits {
        server_on: true,
        user_on: true,
        vector_cap: 200,
        over_cap: OverCap::Disable,
        daily: 100,
        weekly: 300,
        system_daily: 0,
        window: Window::default(),
    }
}

fn missing(missing: u64) -> EmbeddingStanding {
    EmbeddingStanding { needed: missing, missing, ..EmbeddingStanding::default() }
}

#[test]
fn within_the_window_and_the_limits_everything_is_computed_at_once() {
    let verdict = judge(NIGHT, &limits(), &missing(100));
    assert_eq!((verdict.may_answer, verdict.compute, verdict.hold, verdict.next), (true, 100, None, None));
}

#[test]
fn over_the_cap_what_is_missing_is_computed_where_the_best_have_vectors() {
    let best = EmbeddingLimits { over_cap: OverCap::Best, ..limits() };
    let standing = EmbeddingStanding { needed: 900, missing: 3, ..EmbeddingStanding::default() };
    let verdict = judge(NIGHT, &best, &standing);
    assert_eq!((verdict.may_answer, verdict.compute, verdict.hold), (true, 3, None));
}

#[test]
fn outside_the_window_it_waits_unless_the_user_asked() {
    let verdict = judge(NOON, &limits(), &missing(1));
    let opens = Timestamp(20_419 * 86_400_000_000 + 3_600_000_000);
    assert_eq!((verdict.compute, verdict.hold, verdict.next), (0, Some(Hold::Window { opens }), Some(opens)));
    assert_eq!(Hold::Window { opens }.to_string(), "waits for 01:00 UTC");
    assert!(verdict.may_answer, "what is there goes on answering");
    let asked = judge(NOON, &limits(), &EmbeddingStanding { urgent: true, ..missing(1) });
    assert_eq!((asked.compute, asked.hold), (1, None));
    let over = judge(NOON, &limits(), &EmbeddingStanding { urgent: true, today: 100, ..missing(1) });
    assert_eq!((over.compute, over.hold), (0, Some(Hold::DailyLimit { limit: 100 })), "limits hold for all callers");
}

#[test]
fn above_the_cap_embedding_is_off_and_below_it_comes_back() {
    let verdict = judge(NIGHT, &limits(), &missing(201));
    assert_eq!((verdict.may_answer, verdict.compute), (false, 0));
    assert_eq!(verdict.hold.unwrap().to_string(), "over the cap: 201 vectors of 200");
    assert!(judge(NIGHT, &limits(), &missing(200)).may_answer);
}

#[test]
fn who_turned_it_off_has_none() {
    for (off, hold) in [
        (EmbeddingLimits { user_on: false, ..limits() }, Hold::UserOff),
        (EmbeddingLimits { server_on: false, ..limits() }, Hold::ServerOff),
    ] {
        let verdict = judge(NIGHT, &off, &missing(1));
        assert_eq!((verdict.may_answer, verdict.compute, verdict.hold), (false, 0, Some(hold)));
    }
}

#[test]
fn a_limit_lets_the_rest_of_it_through_and_the_remainder_comes_when_it_ends() {
    let day = 86_400_000_000;
    let verdict = judge(NIGHT, &limits(), &EmbeddingStanding { today: 60, this_week: 60, ..missing(90) });
    assert_eq!((verdict.compute, verdict.hold), (40, Some(Hold::DailyLimit { limit: 100 })));
    assert_eq!(verdict.next, Some(Timestamp(20_419 * day + 3_600_000_000)), "tomorrow, when the window opens");
    let verdict = judge(NIGHT, &limits(), &EmbeddingStanding { today: 10, this_week: 290, ..missing(90) });
    assert_eq!((verdict.compute, verdict.hold), (10, Some(Hold::WeeklyLimit { limit: 300 })));
    assert_eq!(verdict.next, Some(Timestamp(20_423 * day + 3_600_000_000)), "next Monday");
    let system = EmbeddingLimits { system_daily: 1_000, ..limits() };
    let verdict = judge(NIGHT, &system, &EmbeddingStanding { system_today: 1_000, ..missing(1) });
    assert_eq!((verdict.compute, verdict.hold), (0, Some(Hold::SystemBudget)));
}

#[test]
fn what_is_larger_than_a_whole_limit_has_its_turn_first_thing() {
    let fresh = judge(NIGHT, &limits(), &missing(150));
    assert!(fresh.admits(0, 150) && !fresh.admits(1, 150) && fresh.admits(0, 100) && !fresh.admits(60, 41));
    let used = judge(NIGHT, &limits(), &EmbeddingStanding { today: 1, ..missing(150) });
    assert!(!used.admits(0, 150) && used.admits(0, 99));
    assert!(!judge(NOON, &limits(), &missing(150)).admits(0, 150), "not outside of the window");
}

#[test]
fn weeks_begin_on_mondays() {
    assert_eq!((start_of_week(4), start_of_week(10), start_of_week(11), start_of_week(0)), (4, 4, 11, -3));
}

proptest! {
    #[test]
    fn never_more_than_any_limit_and_a_hold_ends_in_the_future(
        now in 0_i64..4_000_000_000_000_000, cap in 1_u64..500, daily in 0_u64..200, weekly in 0_u64..400,
        system in 0_u64..400, missing in 0_u64..300, kept in 0_u64..300, today in 0_u64..300, urgent: bool, always: bool,
        system_today in 0_u64..500, days_before in 0_u64..300,
    ) {
        let window = if always { Window::Always } else { Window::default() };
        let limits = EmbeddingLimits { vector_cap: cap, daily, weekly, system_daily: system, window, ..limits() };
        let standing = EmbeddingStanding {
            needed: kept + missing, missing, today, this_week: today + days_before, system_today, urgent,
        };
        let now = Timestamp(now);
        let verdict = judge(now, &limits, &standing);
        prop_assert!(verdict.compute <= missing);
        for (limit, used) in [(daily, today), (weekly, standing.this_week), (system, system_today)] {
            prop_assert!(limit == 0 || verdict.compute <= limit.saturating_sub(used));
        }
        prop_assert!(standing.needed <= cap || (verdict.compute == 0 && !verdict.may_answer));
        prop_assert!(verdict.compute == 0 || urgent || window.is_open(now));
        prop_assert_eq!(verdict.compute < missing, verdict.hold.is_some() && missing > 0);
        if let Some(next) = verdict.next {
            prop_assert!(next > now && window.is_open(next));
        } else {
            prop_assert!(verdict.compute == missing || !verdict.may_answer, "a waiting caller knows until when");
        }
    }
}
