//! The LoCoMo data set: ten long conversations in sessions, and questions with their evidence turns.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

use crate::Result;
use crate::report::checkout;

/// A conversation with its questions.
#[derive(Clone, Debug)]
pub(crate) struct Conversation {
    /// Its name in the data set.
    pub(crate) name: String,
    /// Turns in order.
    pub(crate) turns: Vec<Turn>,
    /// Questions with evidence.
    pub(crate) questions: Vec<Question>,
}

/// One turn.
#[derive(Clone, Debug)]
pub(crate) struct Turn {
    /// The number of its session, from 1.
    pub(crate) session: usize,
    /// The time of its session, in Unix seconds, read as UTC.
    pub(crate) session_at: i64,
    /// The position in its session, from 0.
    pub(crate) position: usize,
    /// The speaker.
    pub(crate) speaker: String,
    /// The text; captions of shown pictures follow in brackets.
    pub(crate) text: String,
}

/// One question.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    /// The question.
    pub(crate) text: String,
    /// 1 multi-hop, 2 temporal, 3 open-domain, 4 single-hop, 5 adversarial.
    pub(crate) category: usize,
    /// The evidence turns, each once; `None` for a turn that the data set lacks, which counts as missed.
    pub(crate) evidence: Vec<Option<usize>>,
}

#[derive(Deserialize)]
struct RawConversation {
    sample_id: String,
    conversation: BTreeMap<String, Value>,
    qa: Vec<RawQuestion>,
}

#[derive(Deserialize)]
struct RawTurn {
    dia_id: String,
    speaker: String,
    text: String,
    blip_caption: Option<String>,
}

#[derive(Deserialize)]
struct RawQuestion {
    question: String,
    category: usize,
    #[serde(default)]
    evidence: Vec<String>,
}

/// Reads the data set from `KIMBERLY_LOCOMO`, or from `../shared/data/locomo10.json` beside the checkout.
pub(crate) fn read() -> Result<Vec<Conversation>> {
    let path = std::env::var_os("KIMBERLY_LOCOMO")
        .map_or_else(|| checkout().join("../shared/data/locomo10.json"), PathBuf::from);
    read_from(&path)
}

/// Reads the data set from a file.
pub(crate) fn read_from(path: &Path) -> Result<Vec<Conversation>> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| format!("{}: {error}; set KIMBERLY_LOCOMO to where locomo10.json is", path.display()))?;
    let raw: Vec<RawConversation> =
        serde_json::from_str(&text).map_err(|error| unreadable(path, &error.to_string()))?;
    raw.into_iter().map(|one| conversation(one).map_err(|error| unreadable(path, &error.to_string()))).collect()
}

fn unreadable(path: &Path, problem: &str) -> Box<dyn std::error::Error + Send + Sync> {
    format!("{} is not LoCoMo as expected: {problem}", path.display()).into()
}

fn conversation(raw: RawConversation) -> Result<Conversation> {
    let mut turns = Vec::new();
    let mut by_id: HashMap<(u32, u32), usize> = HashMap::new();
    for session in 1.. {
        let Some(said) = raw.conversation.get(&format!("session_{session}")) else {
            if raw.conversation.contains_key(&format!("session_{}_date_time", session + 1)) {
                continue;
            }
            break;
        };
        let date = raw.conversation.get(&format!("session_{session}_date_time")).and_then(Value::as_str);
        let session_at = date.and_then(seconds_of).ok_or("a session has no date")?;
        for (position, turn) in serde_json::from_value::<Vec<RawTurn>>(said.clone())?.into_iter().enumerate() {
            by_id.extend(ids(&turn.dia_id).into_iter().map(|id| (id, turns.len())));
            let text = match turn.blip_caption {
                Some(caption) if !caption.is_empty() => format!("{} [{caption}]", turn.text),
                _ => turn.text,
            };
            turns.push(Turn { session, session_at, position, speaker: turn.speaker, text });
        }
    }
    let questions = raw.qa.into_iter().map(|qa| question(qa, &by_id)).filter(|one| !one.evidence.is_empty()).collect();
    Ok(Conversation { name: raw.sample_id, turns, questions })
}

fn question(raw: RawQuestion, turns: &HashMap<(u32, u32), usize>) -> Question {
    let mut named = Vec::new();
    for id in raw.evidence.iter().flat_map(|text| ids(text)) {
        if !named.contains(&id) {
            named.push(id);
        }
    }
    let evidence = named.iter().map(|id| turns.get(id).copied()).collect();
    Question { text: raw.question, category: raw.category, evidence }
}

/// Turn ids in a text: `D1:3`, sometimes written `D:1:3`, sometimes several in one text.
fn ids(text: &str) -> Vec<(u32, u32)> {
    let starts = text.match_indices('D').map(|(start, _)| &text[start + 1..]);
    let id = |rest: &str| {
        let rest = rest.strip_prefix(':').unwrap_or(rest);
        let (session, rest) = rest.split_once(':')?;
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        Some((session.parse().ok()?, rest[..end].parse().ok()?))
    };
    starts.filter_map(id).collect()
}

/// The Unix seconds of a date such as `1:56 pm on 8 May, 2023`.
fn seconds_of(text: &str) -> Option<i64> {
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let (time, date) = text.split_once(" on ")?;
    let (clock, half) = time.trim().split_once(' ')?;
    let (hour, minute) = clock.split_once(':')?;
    let hour = hour.parse::<i64>().ok()? % 12 + if half == "pm" { 12 } else { 0 };
    let mut words = date.split([' ', ',']).filter(|word| !word.is_empty());
    let (day, month, year) = (words.next()?, words.next()?, words.next()?);
    let month = MONTHS.iter().position(|name| month.starts_with(name)).and_then(|m| i64::try_from(m + 1).ok())?;
    let days = days_since_1970(year.parse().ok()?, month, day.parse().ok()?);
    Some(days * 86_400 + hour * 3_600 + minute.parse::<i64>().ok()? * 60)
}

/// Days since the epoch in the Gregorian calendar, with years that start in March.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + day_of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_read_in_every_spelling() {
        assert_eq!(ids("D1:3"), [(1, 3)]);
        assert_eq!(ids("D8:6; D9:17"), [(8, 6), (9, 17)]);
        assert_eq!(ids("D:11:26 D"), [(11, 26)]);
        assert_eq!(ids("D30:05"), [(30, 5)]);
    }

    #[test]
    fn dates_are_read() {
        assert_eq!(seconds_of("1:56 pm on 8 May, 2023"), Some(1_683_554_160));
        assert_eq!(seconds_of("12:09 am on 29 February, 2024"), Some(1_709_165_340));
        assert_eq!(seconds_of("soon"), None);
    }
}
