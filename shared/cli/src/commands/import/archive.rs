//! An archive as `kimberly export --archive` writes it. All of it is read and held to its manifest before anything is sent.

use std::io::{BufReader, Read};

use kimberly_archive::{Item, Reader as Archive, Section, is_archive};
use kimberly_proto::v1;
use kimberly_proto::v1::import_item::Memory;
use serde_json::Value;

use super::fields::Fields;
use super::items::Items;
use super::source::{Reader, Source};
use super::{Load, attachments, consents, lines, records};
use crate::error::{CliError, CliResult};
use crate::names::{GoalKindArg, GoalStatusArg};

/// Bytes that tell an archive.
const BEGINNING: u64 = 512;

/// Whether a file is an archive.
pub(super) fn is_one(file: &Source) -> CliResult<bool> {
    Ok(is_archive(&file.beginning(BEGINNING)?))
}

/// Reads an archive through to its end, to see that it is whole, that all of it can be understood and what it holds.
pub(super) fn survey(file: &Source, user: &str) -> CliResult<Load> {
    let mut load = Load { goals_are_records: true, ..Load::new(user, Items::Archive(file.clone())) };
    let (mut numbers, mut problem) = ([0_u64; Section::ALL.len()], None);
    let mut archive = Archive::new(file.reader())?;
    // To its end, whatever comes: that it is damaged says more than what is wrong with a line.
    while let Some(item) = archive.next_item()? {
        let (section, line) = match item {
            Item::Line(section, line) => (section, line),
            Item::Attachment(line) => (Section::Attachments, line),
        };
        let number = &mut numbers[section as usize];
        *number += 1;
        if let Err(wrong) = take(&mut load, section, line) {
            problem.get_or_insert_with(|| CliError::usage(format!("line {number} of its {section}: {wrong}")));
        }
    }
    problem.map_or(Ok(load), Err)
}

/// Takes a line in. Memories and attachments are counted, and read again when they are sent.
fn take(load: &mut Load, section: Section, line: &str) -> Result<(), String> {
    let value = parsed(line)?;
    let fields = Fields::new(value.as_object().ok_or("not a JSON object")?);
    match section {
        Section::Memories => {
            records::record(&fields)?;
            load.memories += 1;
        }
        Section::Consents => load.consents.push(consents::consent(&fields)?),
        Section::Goals => load.goals.push(goal(&fields)?),
        Section::Settings if load.settings.is_some() => return Err("there are settings already".to_owned()),
        Section::Settings => load.settings = lines::settings(&fields)?,
        Section::Attachments => {
            attachments::attachment(&fields)?;
            load.attachments += 1;
        }
        // The history of another vault: kept for who reads the archive.
        Section::Audit => {}
    }
    Ok(())
}

/// The memories of an archive from an index on.
pub(super) fn memories(file: &Source, index: u64) -> impl Iterator<Item = CliResult<Memory>> + Send + use<> {
    let mut open: Option<CliResult<Open>> = Some(Archive::new(file.reader()).map_err(CliError::from));
    let mut skip = index;
    std::iter::from_fn(move || {
        let mut archive = match open.take()? {
            Ok(archive) => archive,
            Err(error) => return Some(Err(error)),
        };
        let read = next_memory(&mut archive, &mut skip).transpose();
        // Behind an error nothing more is read.
        if matches!(read, Some(Ok(_))) {
            open = Some(Ok(archive));
        }
        read
    })
}

/// An archive that is being read again.
pub(super) type Open = Archive<BufReader<Reader>>;

/// An archive before its next attachment, and what that is; `None` behind the last.
pub(super) fn next_attachment(archive: &mut Open) -> CliResult<Option<v1::Attachment>> {
    while let Some(item) = archive.next_item()? {
        let Item::Attachment(line) = item else { continue };
        let value = parsed(line).map_err(CliError::usage)?;
        let Some(members) = value.as_object() else {
            return Err(CliError::usage("an attachment is not a JSON object"));
        };
        return attachments::attachment(&Fields::new(members)).map(Some).map_err(CliError::usage);
    }
    Ok(None)
}

fn next_memory<R: Read>(archive: &mut Archive<R>, skip: &mut u64) -> CliResult<Option<Memory>> {
    while let Some(Item::Line(Section::Memories, line)) = archive.next_item()? {
        if *skip > 0 {
            *skip -= 1;
            continue;
        }
        let value = parsed(line).map_err(CliError::usage)?;
        let Some(members) = value.as_object() else { return Err(CliError::usage("a memory is not a JSON object")) };
        let record = records::record(&Fields::new(members)).map_err(CliError::usage)?;
        return Ok(Some(Memory::Record(record)));
    }
    Ok(None)
}

/// A goal with everything that is kept about it.
fn goal(fields: &Fields<'_>) -> Result<v1::Goal, String> {
    Ok(v1::Goal {
        id: fields.text("id")?,
        kind: fields.name("kind", GoalKindArg::number)?,
        title: fields.text("title")?,
        description: fields.text("description")?,
        tags: fields.texts("tags")?,
        importance: fields.number("importance")?.unwrap_or_default(),
        status: fields.name("status", GoalStatusArg::number)?,
        created_at: fields.time("created_at")?,
        updated_at: fields.time("updated_at")?,
        etag: fields.text("etag")?,
    })
}

fn parsed(line: &str) -> Result<Value, String> {
    serde_json::from_str(line).map_err(|error| format!("not JSON ({error})"))
}

#[cfg(test)]
mod tests;
