//! The queue for permits, as a pure state without tasks or clocks: running calls, waiting calls, and the order of turns.
//!
//! Callers take turns, and so do the users of each caller (`turns`), each with their oldest call. A thousand calls of
//! one user, or of one caller for many users, thus delay another's call by one call.
//!
//! A call that would wait too long is refused on arrival, not after waiting. The wait is estimated from the calls ahead
//! and from how long calls keep their permits. The queue is overloaded once a call must be refused for that reason. It
//! stays so until no call had to be refused for a while. Under overload, only as many calls wait as are served almost
//! at once, and the rest are refused: a long queue would serve no more calls, and all of them later.
//!
//! Steps of streams wait in the same queue and take the same turns, but without a time limit. They are never refused or
//! evicted, and do not count towards the bound on waiting calls. The bound on streams limits them.

mod bounds;
mod turns;

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use tokio::time::Instant;

use self::turns::Turns;
use super::user::{Key, Who};

pub(super) use self::bounds::Bounds;

/// The assumed time that a call holds a permit, before any call has finished.
const FIRST_GUESS: Duration = Duration::from_millis(1);
/// Number of recent calls that the mean time of holding a permit follows.
const REMEMBERED: u32 = 64;
/// Overload ends when no call had to be refused for this many times the longest wait.
const CALM: u32 = 4;

/// Why a call is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// Too many calls are ahead of it.
    Server,
    /// Its user has reached the maximum number of calls.
    User,
}

/// The result of a call's arrival.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Arrival {
    /// The call has a permit.
    Works,
    /// The call waits, under this number.
    Waits(u64),
    /// The call is refused.
    Refused(Refusal),
}

/// The queue. `T` notifies a waiting call.
#[derive(Debug)]
pub(super) struct Line<T> {
    bounds: Bounds,
    running: usize,
    /// All that wait, and how many of those are calls and not steps of streams.
    waiting: usize,
    calls_waiting: usize,
    users: HashMap<Key, Share<T>>,
    turns: Turns,
    next_number: u64,
    /// The average time that calls keep their permits.
    held_for: Duration,
    /// When a call was last refused because of the calls ahead of it.
    overloaded_at: Option<Instant>,
}

/// The calls of one user, including steps of their streams.
#[derive(Debug)]
struct Share<T> {
    /// The caller whose turns the waiting calls use: the one who made the first of them.
    caller: Key,
    running: usize,
    waiting: VecDeque<Waiter<T>>,
}

/// A waiting call, or a waiting step of a stream.
#[derive(Debug)]
struct Waiter<T> {
    number: u64,
    /// Whether it waits without a time limit, as steps of streams do.
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
            held_for: FIRST_GUESS,
            overloaded_at: None,
        }
    }

    /// Returns the number of waiting calls, including steps of streams.
    pub(super) const fn waiting(&self) -> usize {
        self.waiting
    }

    /// Handles the arrival of a call that can wait for `patience`, or of a step of a stream if that is `None`. Also
    /// returns the calls evicted from the queue: the last calls of the users with the most.
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

    /// Handles the end of a call that held its permit for `held_for`. Returns the next call, which takes the permit.
    pub(super) fn depart(&mut self, user: Key, held_for: Duration) -> Option<(Key, T)> {
        self.held_for = (self.held_for * (REMEMBERED - 1) + held_for) / REMEMBERED;
        self.running = self.running.saturating_sub(1);
        if let Some(share) = self.users.get_mut(&user) {
            share.running = share.running.saturating_sub(1);
        }
        self.forget_if_idle(user);
        self.next()
    }

    /// Removes a call that no longer waits. Returns false if it was given a permit meanwhile.
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

    /// Evicts the calls that exceed the length allowed under overload.
    fn shorten(&mut self) -> Vec<T> {
        let most = self.short_line();
        let mut sent_away = Vec::new();
        while self.calls_waiting > most {
            let Some(last) = self.push_out(None) else { break };
            sent_away.push(last);
        }
        sent_away
    }

    /// Returns how many calls may wait under overload: as many as are served within the wait allowed then. At least as
    /// many as there are permits, so that turns still apply if calls take long.
    fn short_line(&self) -> usize {
        let each = self.wait_behind(0).max(Duration::from_nanos(1));
        let within = self.bounds.longest_wait_overloaded.as_nanos() / each.as_nanos();
        usize::try_from(within).unwrap_or(usize::MAX).max(self.bounds.running).min(self.bounds.waiting)
    }

    /// Evicts the last call of the user with the most calls, of the caller with the most calls. Only evicts if they
    /// have more calls than the arriving caller and user would have.
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

    /// Removes the waiting call at this position among its user's calls.
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

    /// Returns how long a user's next call would wait behind those whose turns come first.
    fn expected_wait(&self, caller: Key, own_waiting: usize) -> Duration {
        self.wait_behind(self.turns.in_front(caller, own_waiting).min(self.waiting))
    }

    fn wait_behind(&self, in_front: usize) -> Duration {
        let permits = u32::try_from(self.bounds.running).unwrap_or(u32::MAX);
        self.held_for.saturating_mul(u32::try_from(in_front + 1).unwrap_or(u32::MAX)) / permits
    }

    fn is_overloaded(&self, now: Instant) -> bool {
        let calm = self.overloaded_at.map(|at| now.saturating_duration_since(at));
        calm.is_some_and(|calm| calm < self.bounds.longest_wait * CALM)
    }
}

#[cfg(test)]
mod tests;
