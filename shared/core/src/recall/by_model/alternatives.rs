//! Rephrases a query by a language model.

use serde_json::{Value, json};

use crate::extraction::by_model::grounds::Grounds;
use crate::extraction::by_model::{object, shown};
use crate::extraction::mask;
use crate::ports::Task;
use crate::text::words::words;

/// Most names of subjects shown to the model.
pub(crate) const MOST_SUBJECTS: usize = 20;
/// Most alternatives searched, and the most bytes of an alternative and of a turn.
const ALTERNATIVES: usize = 3;
const LONGEST: usize = 256;
const TURN_BYTES: usize = 400;
/// Characters that quote a phrase to be found verbatim.
const QUOTES: [char; 3] = ['"', '“', '”'];

/// A query with its context.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Asked {
    pub(crate) query: String,
    /// The session's last turns, the latest first.
    pub(crate) turns: Vec<String>,
    /// Names of subjects in the vault.
    pub(crate) subjects: Vec<String>,
}

impl Asked {
    /// Reports whether rephrasing may help: not if the query has no words, or quotes a phrase to be found verbatim.
    pub(crate) fn may_be_put_otherwise(query: &str) -> bool {
        words(query).next().is_some() && !query.contains(QUOTES)
    }

    /// Returns the task of rephrasing the query. Secrets are masked.
    pub(crate) fn task(&self) -> Task {
        let before: Vec<String> = self.turns.iter().map(|turn| shown(turn, TURN_BYTES)).collect();
        let subjects: Vec<String> = self.subjects.iter().map(|name| shown(name, LONGEST)).collect();
        Task {
            name: "alternatives",
            instructions: include_str!("alternatives.txt"),
            data: json!({"question": shown(&self.query, super::QUERY_BYTES), "before": before, "subjects": subjects})
                .to_string(),
            schema: include_str!("alternatives.json"),
            is_awaited: true,
        }
    }

    /// Returns the model's alternatives, without those that cannot be searched, repeat the query, or use names that
    /// occur nowhere in the input. `None` if the answer is malformed.
    pub(crate) fn alternatives(&self, answer: &str) -> Option<Vec<String>> {
        let Value::Array(proposed) = object(answer)?.get_mut("alternatives")?.take() else { return None };
        let known = [&self.query].into_iter().chain(&self.turns).chain(&self.subjects);
        let grounds = Grounds::of(known.map(|text| mask(text)));
        let mut taken: Vec<String> = Vec::new();
        for text in proposed.iter().filter_map(Value::as_str) {
            let text = text.replace(QUOTES, " ").trim().to_owned();
            let may_be_searched = text.len() <= LONGEST && !text.contains(char::is_control);
            let says = words(&text).next().is_some() && grounds.hold_names(&text);
            let is_new = text != self.query.trim() && !taken.contains(&text);
            if may_be_searched && says && is_new && taken.len() < ALTERNATIVES {
                taken.push(text);
            }
        }
        Some(taken)
    }
}
