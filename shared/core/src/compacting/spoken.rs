//! What was said by whom, as summaries see it: of turns, and of the lines of older summaries.

use std::borrow::Cow;

use crate::context::fence::inline;
use crate::memory::{Detail, Memory, Role};

/// What somebody said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spoken<'t> {
    /// Who.
    pub who: Cow<'t, str>,
    /// What.
    pub text: &'t str,
    /// Whether it is the person.
    pub by_person: bool,
}

/// What a turn says; nothing of what tools answered, of which a summary keeps no word.
pub fn spoken(turn: &Memory) -> Option<Spoken<'_>> {
    let role = match &turn.draft.detail {
        Some(Detail::Turn(detail)) => detail.role,
        _ => Role::User,
    };
    let named = turn.draft.speaker.as_deref().unwrap_or_else(|| role.name());
    (role != Role::Tool).then(|| Spoken { who: name(named), text: &turn.draft.content, by_person: role == Role::User })
}

/// What a note says, with who said it where that is known.
pub fn noted(note: &Memory) -> Spoken<'_> {
    let who = note.draft.speaker.as_deref().map_or(Cow::Borrowed(""), name);
    Spoken { who, text: &note.draft.content, by_person: true }
}

/// The lines of a summary.
pub(crate) fn lines(summary: &str) -> impl Iterator<Item = Spoken<'_>> {
    summary.lines().filter_map(|line| {
        let (who, text) = line.split_once(": ")?;
        Some(Spoken { who: Cow::Borrowed(who), text, by_person: who != Role::Assistant.name() })
    })
}

/// A name that stays in front of its colon.
fn name(who: &str) -> Cow<'_, str> {
    let takes_no_line = inline(who);
    if takes_no_line.contains(':') || takes_no_line != who {
        return Cow::Owned(takes_no_line.replace(':', " "));
    }
    Cow::Borrowed(who)
}
