//! Checks which lines of a model's summary are supported by what was said.

use serde::Deserialize;
use serde_json::Value;

use crate::compacting::Spoken;
use crate::extraction::by_model::grounds::{Grounds, agree, around, says_something};
use crate::extraction::by_model::object;
use crate::extraction::{Language, mask};

/// Most lines of an answer that are read.
const MOST_LINES: usize = 64;

/// A line that a model proposes.
#[derive(Debug, Deserialize)]
struct Line {
    turn: usize,
    quote: String,
    text: String,
}

/// Returns the summary that a model proposes, as lines `who: sentences` in the order of the turns, as far as they fit
/// into `room` bytes. `None` if no line passes the check, more fail than pass, or it says too little to replace the
/// summary by rules.
pub(crate) fn summary(answer: &str, said: &[Spoken<'_>], rules: &str, room: usize) -> Option<String> {
    let Value::Array(proposed) = object(answer)?.get_mut("lines")?.take() else { return None };
    let all = proposed.len();
    let readable = proposed.into_iter().take(MOST_LINES).filter_map(|line| serde_json::from_value(line).ok());
    let mut lines: Vec<Line> = readable.filter(|line| is_said(line, said)).collect();
    if lines.is_empty() || 2 * lines.len() < all {
        return None;
    }
    lines.sort_by_key(|line| line.turn);
    Some(written(&lines, said, room)).filter(|summary| !summary.is_empty() && says_enough(summary, rules))
}

/// Guards against a message that asks to be the only one summed up: the summary must cover a third of the turns that
/// the rules quote, in half of their bytes.
fn says_enough(summary: &str, rules: &str) -> bool {
    3 * summary.lines().count() >= rules.lines().count() && 2 * summary.len() >= rules.len()
}

/// Reports whether a line quotes its turn verbatim, and states nothing that this turn does not.
fn is_said(line: &Line, said: &[Spoken<'_>]) -> bool {
    let Some(turn) = said.get(line.turn) else { return false };
    let (quote, text) = (line.quote.trim(), line.text.trim());
    let Some(start) = turn.text.find(quote) else { return false };
    says_something(quote)
        && !text.contains(char::is_control)
        && agree(Language::guess(turn.text), around(turn.text, start..start + quote.len()), text, true)
        && Grounds::of([mask(turn.text), turn.who.clone()]).hold(text)
}

/// Writes one line per turn. Omits repetitions, and lines that do not fit.
fn written(lines: &[Line], said: &[Spoken<'_>], room: usize) -> String {
    let (mut written, mut turn) = (String::new(), None);
    for (index, line) in lines.iter().enumerate() {
        let (text, who) = (line.text.trim(), said.get(line.turn).map_or("", |one| &*one.who));
        let before = match turn {
            Some(turn) if turn == line.turn => " ".to_owned(),
            Some(_) => format!("\n{who}: "),
            None => format!("{who}: "),
        };
        let is_new = lines.iter().take(index).all(|other| other.text.trim() != text);
        if is_new && written.len() + before.len() + text.len() <= room {
            written.extend([&before, text]);
            turn = Some(line.turn);
        }
    }
    written
}
