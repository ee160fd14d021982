//! Calls to the model per user and day.

use std::collections::HashMap;

use kimberly_core::{Timestamp, UserId};

const DAY_MICROS: i64 = 86_400_000_000;

/// Today's calls by user. In memory only: a restarted process starts at 0.
#[derive(Debug)]
pub(super) struct Budget {
    most: u32,
    day: i64,
    spent: HashMap<UserId, u32>,
}

impl Budget {
    pub(super) fn new(most: u32) -> Self {
        Self { most, day: 0, spent: HashMap::new() }
    }

    /// Uses one call; returns `false` if the user has none left today (UTC).
    pub(super) fn spend(&mut self, user: &UserId, now: Timestamp) -> bool {
        let day = now.0.div_euclid(DAY_MICROS);
        if day != self.day {
            self.day = day;
            self.spent.clear();
        }
        let spent = self.spent.entry(user.clone()).or_default();
        let is_left = *spent < self.most;
        *spent += u32::from(is_left);
        is_left
    }
}
