//! Reports progress as JSON lines.

use std::io::Write as _;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use kimberly_store::moving::Told;
use serde::Serialize;

/// Minimum interval between lines.
const BETWEEN: Duration = Duration::from_millis(100);

/// A line of progress.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Line<'l> {
    /// A pass over this many users starts, or, if `checking`, the comparison of their copies.
    Pass { users: u64, checking: bool },
    /// Progress of the pass.
    At { users: u64, copied: u64, rows: u64 },
    /// Everything is copied, but a process still uses the source.
    CaughtUp { from: &'l str, to: &'l str, waits: bool },
    /// The migration is complete.
    Moved { from: &'l str, to: &'l str, users: u64, vaults: u64, rows: u64, digest: &'l str },
    /// An earlier run completed the migration.
    MovedBefore { from: &'l str, to: &'l str },
    /// The migration failed, with the exit code.
    Failed { message: &'l str, code: u8 },
}

/// The last progress reported.
#[derive(Default)]
pub(crate) struct Progress(Mutex<State>);

#[derive(Default)]
struct State {
    of: u64,
    users: u64,
    copied: u64,
    rows: u64,
    said: Option<Instant>,
}

impl Progress {
    /// Reports the store's progress, rate-limited.
    pub(crate) fn tell(&self, told: Told) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match told {
            Told::Pass { users } => {
                *state = State { of: users, ..State::default() };
                self.say(&Line::Pass { users, checking: false });
            }
            Told::Checking { users } => {
                *state = State { of: users, ..State::default() };
                self.say(&Line::Pass { users, checking: true });
            }
            Told::User { rows } => {
                state.users += 1;
                state.copied += u64::from(rows.is_some());
                state.rows += rows.unwrap_or_default();
                let is_time = state.said.is_none_or(|said| said.elapsed() >= BETWEEN);
                if is_time || state.users >= state.of {
                    state.said = Some(Instant::now());
                    self.say(&Line::At { users: state.users, copied: state.copied, rows: state.rows });
                }
            }
        }
    }

    /// Prints a line. If the reader is gone, stdin closes as well.
    #[expect(clippy::unused_self, reason = "callers report lines through the progress that counts them")]
    pub(crate) fn say(&self, line: &Line<'_>) {
        let Ok(text) = serde_json::to_string(line) else { return };
        let mut out = std::io::stdout().lock();
        let _ = writeln!(out, "{text}").and_then(|()| out.flush());
    }
}
