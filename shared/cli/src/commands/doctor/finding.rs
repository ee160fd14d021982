//! A finding: its severity, subject and description.

use owo_colors::OwoColorize as _;
use serde_json::{Value, json};

use crate::text;

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::commands) enum Level {
    Ok,
    Warn,
    Bad,
}

/// One finding.
#[derive(Clone, Debug)]
pub(in crate::commands) struct Finding {
    pub(in crate::commands) level: Level,
    pub(in crate::commands) about: &'static str,
    seen: String,
}

impl Finding {
    pub(super) fn ok(about: &'static str, seen: impl Into<String>) -> Self {
        Self { level: Level::Ok, about, seen: seen.into() }
    }

    pub(super) fn warn(about: &'static str, seen: impl Into<String>) -> Self {
        Self { level: Level::Warn, about, seen: seen.into() }
    }

    pub(super) fn bad(about: &'static str, seen: impl Into<String>) -> Self {
        Self { level: Level::Bad, about, seen: seen.into() }
    }

    fn word(&self) -> &'static str {
        match self.level {
            Level::Ok => "ok",
            Level::Warn => "warn",
            Level::Bad => "BAD",
        }
    }

    pub(in crate::commands) fn to_json(&self) -> Value {
        json!({"level": self.word().to_lowercase(), "about": self.about, "seen": self.seen})
    }

    pub(in crate::commands) fn to_line(&self, colour: bool) -> String {
        let word = format!("{:<5}", self.word());
        let word = match self.level {
            _ if !colour => word,
            Level::Ok => word.green().to_string(),
            Level::Warn => word.yellow().to_string(),
            Level::Bad => word.red().bold().to_string(),
        };
        format!("{word} {:<14} {}", self.about, text::printable(&self.seen))
    }
}
