//! An assistant's event: its name, and JSON on stdin.

use std::io::{self, Read as _};
use std::path::PathBuf;

use kimberly_transcode::mended;
use serde::Deserialize;

use crate::error::{CliError, CliResult};

/// Maximum bytes read from stdin.
const MOST: u64 = 4 << 20;

/// A supported event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// A session starts, resumes, or was compacted.
    SessionStart,
    /// The person submits a prompt.
    UserPromptSubmit,
    /// The assistant has answered.
    Stop,
    /// The session is about to be compacted.
    PreCompact,
    /// The session ends.
    SessionEnd,
}

impl Event {
    /// All supported events.
    pub(crate) const ALL: [Self; 5] =
        [Self::SessionStart, Self::UserPromptSubmit, Self::Stop, Self::PreCompact, Self::SessionEnd];

    /// The assistant's name of the event.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::SessionStart => "SessionStart",
            Self::UserPromptSubmit => "UserPromptSubmit",
            Self::Stop => "Stop",
            Self::PreCompact => "PreCompact",
            Self::SessionEnd => "SessionEnd",
        }
    }

    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|event| event.name() == name)
    }

    /// How many bytes at the end of the transcript are read. Messages sent before are recognized by their ids. The last
    /// two events read more, in case something was missed.
    pub(super) const fn transcript_bytes(self) -> Option<u64> {
        match self {
            Self::SessionStart | Self::UserPromptSubmit => None,
            Self::Stop => Some(1 << 20),
            Self::PreCompact | Self::SessionEnd => Some(16 << 20),
        }
    }
}

/// The event's data; other members are ignored.
#[derive(Debug, Deserialize)]
pub(super) struct Told {
    pub(super) session_id: String,
    #[serde(default)]
    transcript_path: String,
    /// The prompt, if the event is one.
    #[serde(default)]
    pub(super) prompt: String,
}

impl Told {
    pub(super) fn read() -> CliResult<Self> {
        let mut raw = Vec::new();
        io::stdin().lock().take(MOST).read_to_end(&mut raw)?;
        Self::parse(&raw)
    }

    fn parse(raw: &[u8]) -> CliResult<Self> {
        let told: Self = serde_json::from_str(&String::from_utf8_lossy(&mended(raw)))
            .map_err(|error| CliError::usage(format!("the event's data cannot be read: {error}")))?;
        if told.session_id.trim().is_empty() { Err(CliError::usage("the event names no session")) } else { Ok(told) }
    }

    /// Path of the transcript; `~` is the home folder.
    pub(super) fn transcript(&self) -> CliResult<PathBuf> {
        match (self.transcript_path.strip_prefix("~/"), std::env::home_dir()) {
            (Some(rest), Some(home)) => Ok(home.join(rest)),
            _ if self.transcript_path.is_empty() => Err(CliError::usage("the event names no transcript")),
            _ => Ok(PathBuf::from(&self.transcript_path)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_read_as_they_are_documented() {
        let prompt = br#"{"session_id": "abc123", "transcript_path": "/x/00893aaf.jsonl", "cwd": "/x",
            "permission_mode": "default", "hook_event_name": "UserPromptSubmit", "prompt": "Write a function"}"#;
        let told = Told::parse(prompt).unwrap();
        assert_eq!((told.session_id.as_str(), told.prompt.as_str()), ("abc123", "Write a function"));
        assert_eq!(told.transcript().unwrap(), PathBuf::from("/x/00893aaf.jsonl"));
        let stop = br#"{"session_id": "abc123", "transcript_path": "~/.claude/projects/a/b.jsonl", "cwd": "/x",
            "permission_mode": "default", "hook_event_name": "Stop", "stop_hook_active": true}"#;
        assert!(Told::parse(stop).unwrap().transcript().unwrap().ends_with(".claude/projects/a/b.jsonl"));
        for wrong in [&b""[..], b"[]", b"{}", br#"{"session_id": " "}"#] {
            assert!(Told::parse(wrong).is_err());
        }
        assert!(Told::parse(br#"{"session_id": "s"}"#).unwrap().transcript().is_err());
    }
}
