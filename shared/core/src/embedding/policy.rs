//! Decides whether and how many vectors may be computed for a user now, or why not and when (K-6.1, K-6.2).
//!
//! Only computing is restricted. Removals from the index are always done at once.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::window::{Window, start_of_day};
use crate::time::{Span, Timestamp};

/// 1970-01-01 was a Thursday: weeks begin on Mondays, three days before it.
const DAYS_FROM_MONDAY: i64 = 3;

/// The limits that apply to a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EmbeddingLimits {
    /// Whether the server has a model.
    pub server_on: bool,
    /// Whether embeddings are on for the user.
    pub user_on: bool,
    /// Most vectors of a user.
    pub vector_cap: u64,
    /// The treatment of users who need more vectors than the cap allows.
    pub over_cap: OverCap,
    /// Vectors computed for the user per day; 0 for no limit.
    pub daily: u64,
    /// Vectors computed for the user per week, starting on Monday; 0 for no limit.
    pub weekly: u64,
    /// Vectors computed for all users per day; 0 for no limit.
    pub system_daily: u64,
    /// When vectors may be computed.
    pub window: Window,
}

/// The treatment of users who need more vectors than the cap allows (K-6.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OverCap {
    /// The best-scored memories have vectors; turns of conversations come last.
    #[default]
    Best,
    /// The user has no vectors until fewer are needed or the cap is raised.
    Disable,
}

/// A user's current state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EmbeddingStanding {
    /// Vectors that the user's memories and goals need in all.
    pub needed: u64,
    /// How many of those must be computed.
    pub missing: u64,
    /// Vectors computed for the user today.
    pub today: u64,
    /// Vectors computed for the user this week.
    pub this_week: u64,
    /// Vectors computed for all users today.
    pub system_today: u64,
    /// Whether the user asked not to wait for the window.
    pub urgent: bool,
}

/// Why vectors are not computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hold {
    /// The server has no model.
    ServerOff,
    /// The user turned embeddings off.
    UserOff,
    /// More vectors are needed than the cap allows, so there are none.
    OverCap {
        /// Vectors needed.
        needed: u64,
        /// The cap.
        cap: u64,
    },
    /// The window is closed.
    Window {
        /// When it opens.
        opens: Timestamp,
    },
    /// The user's limit of this day is reached.
    DailyLimit {
        /// The limit.
        limit: u64,
    },
    /// The user's limit of this week is reached.
    WeeklyLimit {
        /// The limit.
        limit: u64,
    },
    /// The system's budget of this day is spent.
    SystemBudget,
}

impl fmt::Display for Hold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ServerOff => f.write_str("embeddings are off on this server"),
            Self::UserOff => f.write_str("embeddings are off for this user"),
            Self::OverCap { needed, cap } => write!(f, "over the cap: {needed} vectors of {cap}"),
            Self::Window { opens } => {
                let minutes = (opens.0 - start_of_day(*opens).0) / Span::seconds(60).0;
                write!(f, "waits for {:02}:{:02} UTC", minutes / 60, minutes % 60)
            }
            Self::DailyLimit { limit } => write!(f, "daily limit reached: {limit} vectors"),
            Self::WeeklyLimit { limit } => write!(f, "weekly limit reached: {limit} vectors"),
            Self::SystemBudget => f.write_str("the server's budget for today is used up"),
        }
    }
}

/// The decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Whether the user may have an index that answers queries.
    pub may_answer: bool,
    /// Vectors that may be computed now.
    pub compute: u64,
    /// Why not all missing vectors may be computed, if any are missing.
    pub hold: Option<Hold>,
    /// When to check again, if the hold ends by itself.
    pub next: Option<Timestamp>,
    /// The tightest limit, if nothing was computed under it yet.
    unused: Option<u64>,
}

impl Verdict {
    /// Reports whether an item of `vectors` vectors may be computed after `taken` vectors of this verdict. An item
    /// larger than a whole limit is allowed if it comes first under that limit: otherwise it could never be computed.
    pub fn admits(&self, taken: u64, vectors: u64) -> bool {
        taken.saturating_add(vectors) <= self.compute
            || (taken == 0 && self.compute > 0 && self.unused.is_some_and(|limit| vectors > limit))
    }

    const fn off(hold: Hold) -> Self {
        Self { may_answer: false, compute: 0, hold: Some(hold), next: None, unused: None }
    }
}

/// Decides for a user at a point in time.
pub fn judge(now: Timestamp, limits: &EmbeddingLimits, standing: &EmbeddingStanding) -> Verdict {
    if !limits.server_on {
        return Verdict::off(Hold::ServerOff);
    }
    if !limits.user_on {
        return Verdict::off(Hold::UserOff);
    }
    if standing.needed > limits.vector_cap && limits.over_cap == OverCap::Disable {
        return Verdict::off(Hold::OverCap { needed: standing.needed, cap: limits.vector_cap });
    }
    let may_answer = true;
    if standing.missing == 0 {
        return Verdict { may_answer, compute: 0, hold: None, next: None, unused: None };
    }
    let bounds = [
        (limits.weekly, standing.this_week, Hold::WeeklyLimit { limit: limits.weekly }, next_week(now)),
        (limits.daily, standing.today, Hold::DailyLimit { limit: limits.daily }, tomorrow(now)),
        (limits.system_daily, standing.system_today, Hold::SystemBudget, tomorrow(now)),
    ];
    let bounds = bounds.into_iter().filter(|(limit, ..)| *limit > 0);
    let left = |limit: u64, used: u64| limit.saturating_sub(used);
    let tightest = bounds.min_by_key(|(limit, used, ..)| left(*limit, *used));
    let (compute, held, unused) = match tightest {
        Some((limit, used, hold, ends)) if left(limit, used) < standing.missing => {
            (left(limit, used), Some((hold, ends)), Some(limit).filter(|_| used == 0))
        }
        _ => (standing.missing, None, None),
    };
    let open = standing.urgent || limits.window.is_open(now);
    if compute > 0 && !open {
        let opens = limits.window.next_opening(now);
        return Verdict { may_answer, compute: 0, hold: Some(Hold::Window { opens }), next: Some(opens), unused: None };
    }
    let next = held.map(|(_, ends)| limits.window.next_opening(ends));
    Verdict { may_answer, compute, hold: held.map(|(hold, _)| hold), next, unused }
}

/// The first day of this day's week, in days since 1970.
pub const fn start_of_week(day: i64) -> i64 {
    day - (day + DAYS_FROM_MONDAY).rem_euclid(7)
}

fn tomorrow(now: Timestamp) -> Timestamp {
    start_of_day(now).plus(Span::days(1))
}

fn next_week(now: Timestamp) -> Timestamp {
    Timestamp(Span::days(start_of_week(now.day()).saturating_add(7)).0)
}

#[cfg(test)]
mod tests;
