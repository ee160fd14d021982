//! Tests of the queue: who is served next, who is refused, and that nothing is lost or left behind.

use super::*;

const ADA: Key = 1;
const BOB: Key = 2;
const EVE: Key = 3;
const SECOND: Duration = Duration::from_secs(1);
const PATIENT: Option<Duration> = Some(Duration::MAX);

fn bounds() -> Bounds {
    Bounds {
        running: 1,
        waiting: 100,
        per_user: 1_000,
        longest_wait: SECOND,
        longest_wait_overloaded: Duration::from_millis(10),
    }
}

/// A queue that notifies each waiting call by its name.
struct Played {
    line: Line<&'static str>,
    now: Instant,
    /// The caller of the calls, for any user.
    caller: Key,
    /// The users who hold a permit, oldest first.
    working: VecDeque<Key>,
}

impl Played {
    fn new(bounds: Bounds) -> Self {
        Self { line: Line::new(bounds), now: Instant::now(), caller: 0, working: VecDeque::new() }
    }

    fn comes(&mut self, user: Key, name: &'static str) -> Arrival {
        self.comes_with(user, name, PATIENT).0
    }

    fn comes_with(
        &mut self,
        user: Key,
        name: &'static str,
        patience: Option<Duration>,
    ) -> (Arrival, Vec<&'static str>) {
        let who = Who { caller: self.caller, user };
        let (arrival, pushed_out) = self.line.arrive(who, patience, self.now, || name);
        if arrival == Arrival::Works {
            self.working.push_back(user);
        }
        (arrival, pushed_out)
    }

    /// Frees the oldest permit. Returns the call that takes it.
    fn one_ends(&mut self, held_for: Duration) -> Option<&'static str> {
        let user = self.working.pop_front().unwrap();
        let (next, name) = self.line.depart(user, held_for)?;
        self.working.push_back(next);
        Some(name)
    }

    fn all_end(&mut self) -> Vec<&'static str> {
        let mut order = Vec::new();
        while !self.working.is_empty() {
            order.extend(self.one_ends(Duration::from_millis(1)));
        }
        order
    }
}

#[tokio::test]
async fn one_users_many_calls_delay_anothers_one_by_one_call() {
    let mut played = Played::new(bounds());
    for name in ["a0", "a1", "a2", "a3", "a4"] {
        played.comes(ADA, name);
    }
    played.comes(BOB, "b0");
    played.comes(BOB, "b1");
    played.comes(EVE, "e0");
    assert_eq!(played.all_end(), ["a1", "b0", "e0", "a2", "b1", "a3", "a4"]);
    assert!(played.line.users.is_empty() && played.line.turns.is_empty(), "nothing is kept of who is gone");
    assert_eq!((played.line.running, played.line.waiting), (0, 0));
}

#[tokio::test]
async fn callers_many_users_delay_anothers_one_by_one_call() {
    let mut played = Played::new(Bounds { waiting: 6, ..bounds() });
    for (user, name) in [(10, "a0"), (11, "a1"), (12, "a2"), (13, "a3"), (14, "a4"), (15, "a5"), (16, "a6")] {
        played.comes(user, name);
    }
    played.caller = 1;
    let (arrival, pushed_out) = played.comes_with(BOB, "b0", PATIENT);
    assert!(matches!(arrival, Arrival::Waits(_)), "the full line gives way");
    assert_eq!(pushed_out, ["a6"], "a call of the caller with most");
    assert_eq!(played.all_end(), ["a1", "b0", "a2", "a3", "a4", "a5"]);
    assert!(played.line.users.is_empty() && played.line.turns.is_empty());
}

#[tokio::test]
async fn permits_never_exceed_the_configuration_and_none_is_free_while_calls_wait() {
    let mut played = Played::new(Bounds { running: 3, ..bounds() });
    for _ in 0..10 {
        played.comes(ADA, "call");
    }
    assert_eq!((played.line.running, played.line.waiting), (3, 7));
    played.one_ends(SECOND);
    assert_eq!((played.line.running, played.line.waiting), (3, 6));
}

#[tokio::test]
async fn users_share_is_bounded_on_both_sides() {
    let mut played = Played::new(Bounds { per_user: 3, ..bounds() });
    let came: Vec<Arrival> = (0..4).map(|_| played.comes(ADA, "a")).collect();
    assert_eq!(came[3], Arrival::Refused(Refusal::User));
    assert!(came[..3].iter().all(|arrival| !matches!(arrival, Arrival::Refused(_))));
    assert!(matches!(played.comes(BOB, "b"), Arrival::Waits(_)), "others have shares of their own");
    played.one_ends(Duration::ZERO);
    assert!(matches!(played.comes(ADA, "a"), Arrival::Waits(_)), "who has ended counts no more");
}

#[tokio::test]
async fn full_line_gives_way_to_users_who_have_fewer_calls() {
    let mut played = Played::new(Bounds { waiting: 3, ..bounds() });
    for name in ["a0", "a1", "a2", "a3"] {
        played.comes(ADA, name);
    }
    assert_eq!(played.comes(ADA, "a4"), Arrival::Refused(Refusal::Server), "who has most is refused");
    for (name, gone) in [("b0", "a3"), ("b1", "a2")] {
        let (arrival, pushed_out) = played.comes_with(BOB, name, PATIENT);
        assert!(matches!(arrival, Arrival::Waits(_)));
        assert_eq!(pushed_out, [gone], "the last call of who has most");
    }
    assert_eq!(played.comes_with(BOB, "b2", PATIENT), (Arrival::Refused(Refusal::Server), vec![]), "two each is fair");
    assert_eq!(played.all_end(), ["a1", "b0", "b1"]);
}

#[tokio::test]
async fn a_queue_of_length_zero_refuses_calls_without_a_permit() {
    let mut played = Played::new(Bounds { waiting: 0, ..bounds() });
    assert_eq!(played.comes(ADA, "a0"), Arrival::Works);
    assert_eq!(played.comes(BOB, "b0"), Arrival::Refused(Refusal::Server));
    assert_eq!(played.one_ends(SECOND), None);
    assert_eq!(played.comes(BOB, "b0"), Arrival::Works);
}

#[tokio::test]
async fn call_that_would_miss_its_deadline_is_refused_when_it_comes() {
    let mut played = Played::new(bounds());
    played.line.held_for = Duration::from_millis(100);
    played.comes(ADA, "a0");
    let in_time = Some(Duration::from_millis(100));
    let too_short = Some(Duration::from_millis(99));
    assert_eq!(played.comes_with(BOB, "b0", too_short).0, Arrival::Refused(Refusal::Server));
    assert!(matches!(played.comes_with(BOB, "b0", in_time).0, Arrival::Waits(_)));
    assert_eq!(played.comes_with(EVE, "e0", in_time).0, Arrival::Refused(Refusal::Server), "two are in front");
    assert!(matches!(played.comes_with(EVE, "e0", None).0, Arrival::Waits(_)), "who waits as long as it takes");
}

#[tokio::test]
async fn as_many_wait_as_fit_in_the_longest_wait() {
    let mut played = Played::new(bounds());
    played.line.held_for = Duration::from_millis(100);
    let waiting = (0..20).filter(|_| matches!(played.comes(ADA, "a"), Arrival::Waits(_))).count();
    assert_eq!(waiting, 10);
    let (arrival, pushed_out) = played.comes_with(BOB, "b", PATIENT);
    assert!(matches!(arrival, Arrival::Waits(_)), "even the one place of the short line goes to who has fewer calls");
    assert_eq!(pushed_out, ["a"]);
    assert_eq!(played.all_end(), ["b"]);
}

#[tokio::test]
async fn one_users_many_calls_never_block_another_user_under_overload() {
    let mut played = Played::new(Bounds { running: 2, ..bounds() });
    played.line.held_for = Duration::from_millis(500);
    while !matches!(played.comes(ADA, "a"), Arrival::Refused(_)) {}
    assert_eq!((played.line.running, played.line.waiting), (2, 2), "as many wait as there are places");
    let (arrival, pushed_out) = played.comes_with(BOB, "b", PATIENT);
    assert!(matches!(arrival, Arrival::Waits(_)));
    assert_eq!(pushed_out, ["a"], "the last of who has most");
    assert_eq!(played.comes(ADA, "a"), Arrival::Refused(Refusal::Server));
    assert_eq!(played.all_end(), ["a", "b"]);
}

#[tokio::test]
async fn a_queue_that_grows_too_long_stays_short_until_no_call_was_refused_for_a_while() {
    let mut played = Played::new(bounds());
    played.line.held_for = Duration::from_millis(4);
    for n in 0..=60 {
        assert!(!matches!(played.comes(ADA, "a"), Arrival::Refused(_)), "{n} are no overload");
    }
    played.comes(BOB, "b0");
    played.line.held_for = Duration::from_millis(20);
    let (arrival, sent_away) = played.comes_with(ADA, "a", PATIENT);
    assert_eq!(arrival, Arrival::Refused(Refusal::Server));
    played.line.held_for = Duration::from_millis(4);
    assert_eq!(sent_away.len(), 60, "all but one");
    assert!(matches!(played.comes(ADA, "a"), Arrival::Waits(_)), "two fit into ten milliseconds");
    assert!(matches!(played.comes(EVE, "e"), Arrival::Waits(_)), "instead of who has more");
    assert_eq!(played.comes(ADA, "a"), Arrival::Refused(Refusal::Server));
    played.now += SECOND * CALM;
    assert!((0..20).all(|_| matches!(played.comes(ADA, "a"), Arrival::Waits(_))), "the overload is over");
}

#[tokio::test]
async fn deadline_that_is_too_short_is_no_overload() {
    let mut played = Played::new(bounds());
    played.line.held_for = Duration::from_millis(100);
    played.comes(ADA, "a0");
    assert_eq!(played.comes_with(BOB, "b", Some(Duration::ZERO)).0, Arrival::Refused(Refusal::Server));
    assert!((0..5).all(|_| matches!(played.comes(ADA, "a"), Arrival::Waits(_))));
}

#[tokio::test]
async fn who_gives_up_leaves_the_line_and_nothing_behind() {
    let mut played = Played::new(bounds());
    played.comes(ADA, "a0");
    let Arrival::Waits(first) = played.comes(ADA, "a1") else { panic!("no place was free") };
    let Arrival::Waits(only) = played.comes(BOB, "b0") else { panic!("no place was free") };
    played.comes(EVE, "e0");
    assert!(played.line.leave(ADA, first) && played.line.leave(BOB, only));
    assert!(!played.line.leave(BOB, only), "gone already");
    assert_eq!(played.all_end(), ["e0"]);
    assert!(played.line.users.is_empty() && played.line.turns.is_empty());
}

#[tokio::test]
async fn steps_of_streams_are_neither_refused_nor_pushed_out_nor_in_the_way() {
    let mut played = Played::new(Bounds { waiting: 4, per_user: 3, ..bounds() });
    played.line.held_for = Duration::from_millis(300);
    played.comes(ADA, "a0");
    for step in ["s0", "s1", "s2", "s3", "s4", "s5"] {
        assert!(matches!(played.comes_with(ADA, step, None), (Arrival::Waits(_), gone) if gone.is_empty()));
    }
    assert_eq!(played.comes(ADA, "a1"), Arrival::Refused(Refusal::User), "they count as the user's");
    assert!(matches!(played.comes(BOB, "b0"), Arrival::Waits(_)), "but leave the line to others");
    assert_eq!(played.comes(BOB, "b1"), Arrival::Refused(Refusal::Server), "too long a wait: overload");
    assert_eq!(played.comes_with(EVE, "e0", PATIENT), (Arrival::Refused(Refusal::Server), vec![]), "one each is fair");
    assert!(matches!(played.comes_with(EVE, "t0", None), (Arrival::Waits(_), gone) if gone.is_empty()));
    assert_eq!(played.all_end(), ["s0", "b0", "t0", "s1", "s2", "s3", "s4", "s5"]);
    assert_eq!((played.line.waiting, played.line.calls_waiting), (0, 0));
}
