//! The input of summaries, with speakers: turns, and the lines of older summaries.

use std::borrow::Cow;

use crate::context::fence::inline;
use crate::memory::{Detail, Memory, Role};

/// A text with its speaker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spoken<'t> {
    /// The speaker; empty if unknown.
    pub who: Cow<'t, str>,
    /// The text.
    pub text: &'t str,
    /// Whether the person said it.
    pub by_person: bool,
}

/// Returns what a turn says; `None` for an answer of a tool, which a summary never quotes.
pub fn spoken(turn: &Memory) -> Option<Spoken<'_>> {
    let role = match &turn.draft.detail {
        Some(Detail::Turn(detail)) => detail.role,
        _ => Role::User,
    };
    let named = turn.draft.speaker.as_deref().unwrap_or_else(|| role.name());
    (role != Role::Tool).then(|| Spoken { who: name(named), text: &turn.draft.content, by_person: role == Role::User })
}

/// Returns what a note says, with its speaker if known.
pub fn noted(note: &Memory) -> Spoken<'_> {
    let who = note.draft.speaker.as_deref().map_or(Cow::Borrowed(""), name);
    Spoken { who, text: &note.draft.content, by_person: true }
}

/// Returns the lines of a summary.
pub(crate) fn lines(summary: &str) -> impl Iterator<Item = Spoken<'_>> {
    summary.lines().filter_map(|line| {
        let (who, text) = line.split_once(": ")?;
        Some(Spoken { who: Cow::Borrowed(who), text, by_person: who != Role::Assistant.name() })
    })
}

/// Returns a name without line breaks and colons, as it precedes a colon.
fn name(who: &str) -> Cow<'_, str> {
    let takes_no_line = inline(who);
    if takes_no_line.contains(':') || takes_no_line != who {
        return Cow::Owned(takes_no_line.replace(':', " "));
    }
    Cow::Borrowed(who)
}
