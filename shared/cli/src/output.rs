//! Output: tables for people, JSON for programs.

use std::io::{self, IsTerminal as _, Write as _};

use serde_json::Value;

use crate::error::CliResult;

/// How a command prints its answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Output {
    /// Whether to print JSON.
    pub(crate) json: bool,
    /// Whether stdout is a terminal that supports colours.
    pub(crate) colour: bool,
}

impl Output {
    pub(crate) fn new(json: bool) -> Self {
        let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Self { json, colour: io::stdout().is_terminal() && !plain }
    }

    /// Prints JSON for programs, or the result of `text` for people.
    pub(crate) fn answer(self, json: impl FnOnce() -> Value, text: impl FnOnce() -> String) -> CliResult {
        if self.json { print(&kimberly_transcode::text(&json())) } else { print(&text()) }
    }

    /// Prints a note on stderr, for people only.
    pub(crate) fn note(self, text: &str) {
        if !self.json {
            let _ = writeln!(io::stderr(), "{text}");
        }
    }
}

/// Prints text in both formats.
pub(crate) fn print(text: &str) -> CliResult {
    let mut out = io::stdout().lock();
    writeln!(out, "{}", text.trim_end_matches('\n'))?;
    Ok(out.flush()?)
}
