//! Counts which pairs of labelled statements the rules of the step `believe` treat as contradictions. A change over time is not a
//! contradiction.

use kimberly_core::beliefs::conflicts;
use kimberly_core::ids::{MemoryId, Seq};
use kimberly_core::memory::{Memory, MemoryDraft};
use serde::Deserialize;

use super::labels::labels;
use super::{Counts, NOW, Tally};
use crate::Result;
use crate::benches::extract::Conversations;

/// A labelled pair of statements.
#[derive(Deserialize)]
struct Pair {
    half: String,
    set: String,
    conversation: String,
    label: String,
    first: Statement,
    second: Statement,
    #[serde(default)]
    optional: bool,
}

#[derive(Deserialize)]
struct Statement {
    message: usize,
    start: usize,
    end: usize,
}

/// Counts the contradictions of one half of the labels.
pub(super) fn count(half: &str, conversations: &Conversations, tally: &mut Tally) -> Result<()> {
    for pair in labels::<Pair>("contradictions")?.iter().filter(|pair| pair.half == half && !pair.optional) {
        let record = |statement: &Statement, number: i64| {
            let message = conversations.get(&(pair.set.clone(), pair.conversation.clone()))?.get(statement.message)?;
            let content = message.text.get(statement.start..statement.end)?.to_owned();
            let speaker = if message.name.is_empty() { message.role.name() } else { message.name.as_str() };
            let draft = MemoryDraft { content, speaker: Some(speaker.to_owned()), ..MemoryDraft::default() };
            let id = MemoryId::parse("id", &format!("mem_{number:08x}-0000-7000-8000-000000000000")).ok()?;
            Some(Memory::new(id, Seq(number), draft, message.at.unwrap_or(NOW)))
        };
        let (Some(first), Some(second)) = (record(&pair.first, 1), record(&pair.second, 2)) else {
            return Err(format!("a label of {} in {} leads nowhere", pair.conversation, pair.set).into());
        };
        let (found, wanted) = (!conflicts(&[&first, &second]).is_empty(), pair.label == "contradiction");
        let number = |is: bool| f64::from(u8::from(is));
        let both = number(found && wanted);
        let counts = Counts { found: number(found), right: both, wanted: number(wanted), met: both };
        tally.entry("contradictions".to_owned()).or_default().add(counts);
    }
    Ok(())
}
