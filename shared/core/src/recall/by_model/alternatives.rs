//! A query in other words.

use serde_json::{Value, json};

use crate::extraction::by_model::grounds::Grounds;
use crate::extraction::by_model::{object, shown};
use crate::extraction::mask;
use crate::ports::Task;
use crate::text::words::words;

/// Names of subjects that the model sees.
pub(crate) const MOST_SUBJECTS: usize = 20;
/// Alternatives that are searched, and the most of each and of a turn, in bytes.
const ALTERNATIVES: usize = 3;
const LONGEST: usize = 256;
const TURN_BYTES: usize = 400;
/// What belongs to a phrase that is to be found as it stands.
const QUOTES: [char; 3] = ['"', '“', '”'];

/// A query with what is known around it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Asked {
    pub(crate) query: String,
    /// The session's last turns, the last first.
    pub(crate) turns: Vec<String>,
    /// Names that the vault knows.
    pub(crate) subjects: Vec<String>,
}

impl Asked {
    /// Whether other words may help: not where the query has none, or quotes what is to be found as it stands.
    pub(crate) fn may_be_put_otherwise(query: &str) -> bool {
        words(query).next().is_some() && !query.contains(QUOTES)
    }

    /// The task of putting the query into other words. Secrets are masked.
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

    /// The alternatives that a model proposes, without those that cannot be searched, say the same, or name what nothing here names;
    /// `None` where it is no answer.
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
