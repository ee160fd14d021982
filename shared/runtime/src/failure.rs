//! Why a process failed, as one message for its operator.

use std::error::Error;
use std::fmt::Write as _;
use std::io::Write as _;

/// The result of a process's body. Any error converts to a [`Failure`] with `?`.
pub type MainResult = Result<(), Failure>;

/// Exit code when something failed.
const FAILED: u8 = 1;
/// Exit code when the arguments or the configuration are invalid.
const MISCONFIGURED: u8 = 2;

/// A problem, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    problem: String,
    advice: Option<String>,
    code: u8,
}

impl Failure {
    /// A failure with advice.
    pub fn new(problem: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { problem: problem.into(), advice: Some(advice.into()), code: FAILED }
    }

    /// A failure of the configuration; the process ends with code 2.
    pub fn configuration(problem: impl Into<String>) -> Self {
        let advice = "deploy/kimberly.sample.toml shows every key with its default; `kimberly doctor` checks all of it";
        Self { problem: problem.into(), advice: Some(advice.to_owned()), code: MISCONFIGURED }
    }

    /// The message.
    pub fn message(&self) -> String {
        let mut text = self.problem.clone();
        if let Some(advice) = &self.advice {
            let _ = write!(text, "\n  what to do: {advice}");
        }
        text
    }

    /// Prints the message on stderr and returns the exit code.
    pub(crate) fn report(&self, process: &str) -> u8 {
        let _ = writeln!(std::io::stderr(), "{process}: {}", self.message());
        self.code
    }
}

impl<E: Error> From<E> for Failure {
    fn from(error: E) -> Self {
        let mut problem = error.to_string();
        let mut cause = error.source();
        while let Some(inner) = cause {
            let inner_text = inner.to_string();
            if !problem.contains(&inner_text) {
                let _ = write!(problem, ": {inner_text}");
            }
            cause = inner.source();
        }
        Self { problem, advice: None, code: FAILED }
    }
}
