//! Which lines of a model's summary say what was said.

use serde::Deserialize;
use serde_json::Value;

use crate::compacting::Spoken;
use crate::extraction::by_model::grounds::{Grounds, agree, around, says_something};
use crate::extraction::by_model::object;
use crate::extraction::{Language, mask};

/// Most lines that are read of an answer.
const MOST_LINES: usize = 64;

/// A line as a model proposes it.
#[derive(Debug, Deserialize)]
struct Line {
    turn: usize,
    quote: String,
    text: String,
}

/// The summary that a model proposes, in lines `who: sentences` in the order of the turns, as far as it has room; `None` where no
/// line stands the check, fewer stand it than fall, or it says too little to take the place of what rules took.
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

/// A message may ask for a summary of nothing but itself: so it covers a third of the turns that rules quote, in half of the bytes.
fn says_enough(summary: &str, rules: &str) -> bool {
    3 * summary.lines().count() >= rules.lines().count() && 2 * summary.len() >= rules.len()
}

/// Whether a line quotes its turn word for word, and says nothing that this turn does not say.
fn is_said(line: &Line, said: &[Spoken<'_>]) -> bool {
    let Some(turn) = said.get(line.turn) else { return false };
    let (quote, text) = (line.quote.trim(), line.text.trim());
    let Some(start) = turn.text.find(quote) else { return false };
    says_something(quote)
        && !text.contains(char::is_control)
        && agree(Language::guess(turn.text), around(turn.text, start..start + quote.len()), text, true)
        && Grounds::of([mask(turn.text), turn.who.clone()]).hold(text)
}

/// What one turn says is one line; what there is no room for, and what was written already, is left out.
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
