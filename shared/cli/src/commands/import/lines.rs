//! Kimberly's own export: JSON lines, each an object whose member names its kind, read one at a time. An object with a
//! `content` is a draft, so that such a file is easily written by hand.

use std::io::BufRead;

use kimberly_proto::v1;
use kimberly_proto::v1::import_item::Memory;
use serde_json::Value;

use super::items::Items;
use super::load::{Load, Settings};
use super::source;
use super::source::Source;
use crate::commands::export::lines::{CONSENT, EXPORT, GOAL, RECORD, SETTINGS, VERSION};
use crate::error::{CliError, CliResult};
use crate::json;

const NO_CONTENT: &str = "it has no content";

/// The content of a line.
#[derive(Debug)]
pub(super) enum Line {
    /// A memory.
    Memory(Box<Memory>),
    /// A record of consent.
    Consent(Box<v1::Consent>),
    /// A goal.
    Goal(v1::Goal),
    /// Settings, if any are set.
    Settings(Option<Settings>),
    /// The line that names the format.
    Format,
}

/// The lines of a file, in order.
pub(super) struct Lines<R> {
    reader: R,
    number: usize,
    line: String,
}

impl<R: BufRead> Lines<R> {
    pub(super) const fn new(reader: R) -> Self {
        Self { reader, number: 0, line: String::new() }
    }
}

fn read(line: &str) -> Result<Line, String> {
    let value = json::parse(line.trim_start_matches('\u{feff}'))?;
    let members = value.as_object().ok_or("not a JSON object")?;
    if members.contains_key("content") {
        return Ok(Line::Memory(Box::new(Memory::Draft(draft(&value)?))));
    }
    let kinds = [RECORD, CONSENT, GOAL, SETTINGS, EXPORT];
    let found = kinds.into_iter().find_map(|kind| members.get(kind).map(|held| (kind, held)));
    let (kind, held) = found.ok_or_else(|| format!("it has no content, and is none of {}", kinds.join(", ")))?;
    let line = match kind {
        RECORD => record(held).map(|record| Line::Memory(Box::new(Memory::Record(record)))),
        CONSENT => json::read(held).map(|consent| Line::Consent(Box::new(consent))),
        GOAL => json::read(held).map(|goal| Line::Goal(as_new(goal))),
        SETTINGS => settings(held).map(Line::Settings),
        _ => match value["version"].as_i64() {
            Some(VERSION) => return Ok(Line::Format),
            other => {
                let version = other.map_or_else(|| "no version".to_owned(), |version| format!("version {version}"));
                return Err(format!("this export has {version}; this kimberly reads version {VERSION}"));
            }
        },
    };
    line.map_err(|problem| format!("{kind}: {problem}"))
}

/// Removes ids and times from a goal: lines can be imported for any user, and may repeat an existing goal.
fn as_new(goal: v1::Goal) -> v1::Goal {
    v1::Goal { id: String::new(), created_at: None, updated_at: None, etag: String::new(), ..goal }
}

impl<R: BufRead> Iterator for Lines<R> {
    type Item = CliResult<Line>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            self.line.clear();
            self.number += 1;
            match self.reader.read_line(&mut self.line) {
                Ok(0) => return None,
                Ok(_) if self.line.trim().is_empty() => {}
                Ok(_) => break,
                Err(error) => return Some(Err(source::unreadable(error))),
            }
        }
        let number = self.number;
        Some(read(&self.line).map_err(|problem| {
            CliError::usage(format!(
                "line {number}: {problem}; the file was read as an export of Kimberly; --format selects another format"
            ))
        }))
    }
}

/// Reads a file to its end: validates it and counts its content.
pub(super) fn survey(file: &Source, user: &str) -> CliResult<Load> {
    let mut load = Load::new(user, Items::Lines(file.clone()));
    for line in Lines::new(file.reader()) {
        match line? {
            Line::Memory(_) => load.memories += 1,
            // A repeated consent changed while the export was written; the last one counts.
            Line::Consent(consent) => {
                load.consents.retain(|other| other.id != consent.id);
                load.consents.push(*consent);
            }
            Line::Goal(goal) => load.goals.push(goal),
            Line::Settings(settings) => load.settings = settings,
            Line::Format => {}
        }
    }
    Ok(load)
}

/// Parses a memory as callers write it; ignores unknown members.
pub(super) fn draft(value: &Value) -> Result<v1::MemoryDraft, String> {
    let draft: v1::MemoryDraft = json::read_known(value)?;
    // A file or a core memory block may be empty.
    if draft.content.is_empty() && draft.name.is_empty() { Err(NO_CONTENT.to_owned()) } else { Ok(draft) }
}

/// Parses a memory with everything stored about it.
pub(super) fn record(value: &Value) -> Result<v1::MemoryRecord, String> {
    let record: v1::MemoryRecord = json::read(value)?;
    let said = record.memory.as_ref().is_some_and(|memory| !(memory.content.is_empty() && memory.name.is_empty()));
    if said { Ok(record) } else { Err(NO_CONTENT.to_owned()) }
}

/// Parses a user's settings; `None` if nothing is set.
pub(super) fn settings(value: &Value) -> Result<Option<Settings>, String> {
    let values = json::read(value)?;
    let paths = json::set_paths(&values)?;
    Ok((!paths.is_empty()).then_some(Settings { values, paths }))
}

#[cfg(test)]
mod tests;
