//! The line for places, as a state that knows neither tasks nor clocks: who works, who waits, whose turn is next.
//!
//! Callers take turns, and the users of each (`turns`), each with their oldest call, so that a thousand calls of one user, or
//! of one caller for many users, delay another's one by one call. A call
//! that would wait too long is refused when it comes and not after it has waited: how long that is, is estimated from the
//! calls in front of it and from how long calls keep their places. A line that grows until somebody must be refused for
//! that is overload. Then, and until nobody had to be for a while, only so many wait as are served almost at once, and the
//! others are sent away: a long line would serve nobody more, and everybody later.
//!
//! Steps of streams stand in the same line and take the same turns, but wait as long as it takes: they are neither refused
//! nor sent away, nor do they use up the room of calls. The bound on streams bounds them.

mod turns;

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use kimberly_runtime::config::LimitsConfig;
use tokio::time::Instant;

use self::turns::Turns;
use super::user::{Key, Who};

/// How long a call is taken to keep its place before any was seen to.
const FIRST_GUESS: Duration = Duration::from_millis(1);
/// The mean time in a place follows the last calls, about this many.
const REMEMBERED: u32 = 64;
/// Overload is over when nobody had to be refused for this many times the longest wait.
const CALM: u32 = 4;

/// The bounds of a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// Calls that work at once.
    pub running: usize,
    /// Calls that wait at once, steps of streams aside.
    pub waiting: usize,
    /// Calls of one user that work or wait.
    pub per_user: usize,
    /// Longest wait, before and under overload.
    pub longest_wait: Duration,
    pub longest_wait_overloaded: Duration,
}

impl Bounds {
    /// The bounds of the configuration for a line to so many places.
    pub(super) fn new(running: usize, config: &LimitsConfig) -> Self {
        Self {
            running,
            waiting: config.max_waiting_calls,
            per_user: config.max_calls_per_user,
            longest_wait: config.longest_wait.0,
            longest_wait_overloaded: config.longest_wait_overloaded.0,
        }
    }
}

/// Why a call is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// Too many calls are in front of it.
    Server,
    /// Its user has as many calls as one may have.
    User,
}

/// What became of a call that came.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Arrival {
    /// It has a place.
    Works,
    /// It waits, under this number.
    Waits(u64),
    /// It is refused.
    Refused(Refusal),
}

/// The line; `T` is how a waiting call is answered.
#[derive(Debug)]
pub(super) struct Line<T> {
    bounds: Bounds,
    running: usize,
    /// Who waits, and how many of them are calls and not steps of streams.
    waiting: usize,
    calls_waiting: usize,
    users: HashMap<Key, Share<T>>,
    turns: Turns,
    next_number: u64,
    /// How long calls keep their places, on average.
    kept: Duration,
    /// When a call was last refused because of the calls in front of it.
    overloaded_at: Option<Instant>,
}

/// The calls of a user, and the steps of their streams.
#[derive(Debug)]
struct Share<T> {
    /// Whose turns the waiting ones take: of the caller who made the first of them.
    caller: Key,
    running: usize,
    waiting: VecDeque<Waiter<T>>,
}

/// Who waits.
#[derive(Debug)]
struct Waiter<T> {
    number: u64,
    /// Whether it waits as long as it takes.
    patient: bool,
    teller: T,
}

impl<T> Line<T> {
    pub(super) fn new(bounds: Bounds) -> Self {
        Self {
            bounds,
            running: 0,
            waiting: 0,
            calls_waiting: 0,
            users: HashMap::new(),
            turns: Turns::default(),
            next_number: 0,
            kept: FIRST_GUESS,
            overloaded_at: None,
        }
    }

    /// How many calls wait.
    pub(super) const fn waiting(&self) -> usize {
        self.waiting
    }

    /// A call comes that can wait for as long as `patience`, or a step of a stream, for which that is `None`. Also returns
    /// whom it pushed out of the line: the last calls of the users with the most.
    pub(super) fn arrive(
        &mut self,
        who: Who,
        patience: Option<Duration>,
        now: Instant,
        teller: impl FnOnce() -> T,
    ) -> (Arrival, Vec<T>) {
        let user = who.user;
        let (own_running, own_waiting) = self.users.get(&user).map_or((0, 0), |u| (u.running, u.waiting.len()));
        if patience.is_some() && own_running + own_waiting >= self.bounds.per_user {
            return (Arrival::Refused(Refusal::User), Vec::new());
        }
        if self.running < self.bounds.running && self.waiting == 0 {
            self.running += 1;
            self.share(who).running += 1;
            return (Arrival::Works, Vec::new());
        }
        let Some(patience) = patience else {
            return (Arrival::Waits(self.wait(who, true, teller())), Vec::new());
        };
        let wait = self.expected_wait(who.caller, own_waiting);
        if wait > patience {
            return (Arrival::Refused(Refusal::Server), Vec::new());
        }
        let overloaded = self.is_overloaded(now);
        if !overloaded && wait > self.bounds.longest_wait {
            self.overloaded_at = Some(now);
            return (Arrival::Refused(Refusal::Server), self.shorten());
        }
        let most = if overloaded { self.short_line() } else { self.bounds.waiting };
        let mut pushed_out = None;
        if self.calls_waiting >= most {
            self.overloaded_at = if overloaded { Some(now) } else { self.overloaded_at };
            pushed_out = self.push_out(Some(who));
        }
        if self.calls_waiting >= most {
            return (Arrival::Refused(Refusal::Server), Vec::from_iter(pushed_out));
        }
        (Arrival::Waits(self.wait(who, false, teller())), Vec::from_iter(pushed_out))
    }

    /// A call gave its place back after `kept`; whose turn it is takes it.
    pub(super) fn depart(&mut self, user: Key, kept: Duration) -> Option<(Key, T)> {
        self.kept = (self.kept * (REMEMBERED - 1) + kept) / REMEMBERED;
        self.running = self.running.saturating_sub(1);
        if let Some(share) = self.users.get_mut(&user) {
            share.running = share.running.saturating_sub(1);
        }
        self.forget_if_idle(user);
        self.next()
    }

    /// A call does not wait any more. False if it was given a place meanwhile.
    pub(super) fn leave(&mut self, user: Key, number: u64) -> bool {
        let Some(share) = self.users.get_mut(&user) else { return false };
        let Some(at) = share.waiting.iter().position(|waiter| waiter.number == number) else { return false };
        self.take_out(user, at).is_some()
    }

    fn next(&mut self) -> Option<(Key, T)> {
        let user = self.turns.next()?;
        let share = self.users.get_mut(&user)?;
        let first = share.waiting.pop_front()?;
        share.running += 1;
        if !share.waiting.is_empty() {
            self.turns.add(share.caller, user);
        }
        self.running += 1;
        self.one_less_waits(&first);
        Some((user, first.teller))
    }

    fn wait(&mut self, who: Who, patient: bool, teller: T) -> u64 {
        let number = self.next_number;
        self.next_number += 1;
        let share = self.share(who);
        let first = share.waiting.is_empty();
        share.waiting.push_back(Waiter { number, patient, teller });
        if first {
            share.caller = who.caller;
            self.turns.add(who.caller, who.user);
        }
        self.waiting += 1;
        self.calls_waiting += usize::from(!patient);
        number
    }

    /// Sends away who stands too far behind under overload.
    fn shorten(&mut self) -> Vec<T> {
        let most = self.short_line();
        let mut sent_away = Vec::new();
        while self.calls_waiting > most {
            let Some(last) = self.push_out(None) else { break };
            sent_away.push(last);
        }
        sent_away
    }

    /// How many may wait under overload: as many as are served within the wait that is allowed then, and as many as there
    /// are places, so that turns are kept however long calls take.
    fn short_line(&self) -> usize {
        let each = self.wait_behind(0).max(Duration::from_nanos(1));
        let within = self.bounds.longest_wait_overloaded.as_nanos() / each.as_nanos();
        usize::try_from(within).unwrap_or(usize::MAX).max(self.bounds.running).min(self.bounds.waiting)
    }

    /// Takes the last call out of the line of the user with most calls, of the caller with most calls, if they have more than
    /// whose call comes would have.
    fn push_out(&mut self, comes: Option<Who>) -> Option<T> {
        let has = |user: &Key| self.users.get(user).map_or(0, |share| share.running + share.waiting.len());
        let own = comes.map_or(0, |who| has(&who.user) + 1);
        let of_caller: HashMap<Key, usize> =
            self.turns.iter().map(|(caller, users)| (caller, users.iter().map(has).sum())).collect();
        let all = |caller: Key| of_caller.get(&caller).copied().unwrap_or(0);
        let last_call = |user: Key| Some((user, self.users.get(&user)?.waiting.iter().rposition(|w| !w.patient)?));
        let with_calls = self.turns.iter().flat_map(|(caller, users)| {
            users.iter().filter_map(move |user| last_call(*user)).map(move |(user, at)| (caller, user, at))
        });
        let (_, most, at) = with_calls
            .filter(|(caller, user, _)| match comes {
                Some(who) if who.caller != *caller => all(*caller) > all(who.caller).max(own - 1) + 1,
                _ => has(user) > own,
            })
            .max_by_key(|(caller, user, _)| (all(*caller), has(user), *user))?;
        self.take_out(most, at)
    }

    /// Takes a call out of the line that stands at a place among its user's.
    fn take_out(&mut self, user: Key, at: usize) -> Option<T> {
        let share = self.users.get_mut(&user)?;
        let gone = share.waiting.remove(at)?;
        if share.waiting.is_empty() {
            self.turns.remove(share.caller, user);
        }
        self.one_less_waits(&gone);
        self.forget_if_idle(user);
        Some(gone.teller)
    }

    const fn one_less_waits(&mut self, waiter: &Waiter<T>) {
        self.waiting -= 1;
        if !waiter.patient {
            self.calls_waiting -= 1;
        }
    }

    fn share(&mut self, who: Who) -> &mut Share<T> {
        let new = || Share { caller: who.caller, running: 0, waiting: VecDeque::new() };
        self.users.entry(who.user).or_insert_with(new)
    }

    fn forget_if_idle(&mut self, user: Key) {
        if self.users.get(&user).is_some_and(|share| share.running == 0 && share.waiting.is_empty()) {
            self.users.remove(&user);
        }
    }

    /// How long a user's next call would wait behind those whose turns come first.
    fn expected_wait(&self, caller: Key, own_waiting: usize) -> Duration {
        self.wait_behind(self.turns.in_front(caller, own_waiting).min(self.waiting))
    }

    fn wait_behind(&self, in_front: usize) -> Duration {
        let places = u32::try_from(self.bounds.running).unwrap_or(u32::MAX);
        self.kept.saturating_mul(u32::try_from(in_front + 1).unwrap_or(u32::MAX)) / places
    }

    fn is_overloaded(&self, now: Instant) -> bool {
        let calm = self.overloaded_at.map(|at| now.saturating_duration_since(at));
        calm.is_some_and(|calm| calm < self.bounds.longest_wait * CALM)
    }
}

#[cfg(test)]
mod tests;
