//! An archive as written by `kimberly export --archive`. All of it is read and compared with its manifest before
//! anything is sent.

use std::io::{BufReader, Read};

use kimberly_archive::{Item, Reader as Archive, Section, is_archive};
use kimberly_proto::v1;
use kimberly_proto::v1::import_item::Memory;

use super::items::Items;
use super::lines;
use super::load::Load;
use super::source::{Reader, Source};
use crate::error::{CliError, CliResult};
use crate::json;

/// Bytes needed to recognize an archive.
const BEGINNING: u64 = 512;

/// Whether a file is an archive.
pub(super) fn is_one(file: &Source) -> CliResult<bool> {
    Ok(is_archive(&file.beginning(BEGINNING)?))
}

/// Reads an archive to its end: validates it and counts its content.
pub(super) fn survey(file: &Source, user: &str) -> CliResult<Load> {
    let mut load = Load { goals_are_records: true, ..Load::new(user, Items::Archive(file.clone())) };
    let (mut numbers, mut problem) = ([0_u64; Section::ALL.len()], None);
    let mut archive = Archive::new(file.reader())?;
    // Reads to the end in any case, since damage explains more than an invalid line.
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

/// Adds a line. Memories and attachments are only counted; they are read again when they are sent.
fn take(load: &mut Load, section: Section, line: &str) -> Result<(), String> {
    let value = json::parse(line)?;
    match section {
        Section::Memories => {
            lines::record(&value)?;
            load.memories += 1;
        }
        Section::Consents => load.consents.push(json::read(&value)?),
        Section::Goals => load.goals.push(json::read(&value)?),
        Section::Links => load.links.push(json::read(&value)?),
        Section::Settings if load.settings.is_some() => return Err("settings exist already".to_owned()),
        Section::Settings => load.settings = lines::settings(&value)?,
        Section::Attachments => {
            json::read::<v1::Attachment>(&value)?;
            load.attachments += 1;
        }
        // The history of another vault, for readers of the archive; not imported.
        Section::Audit => {}
    }
    Ok(())
}

/// The memories of an archive, starting at `index`.
pub(super) fn memories(file: &Source, index: u64) -> impl Iterator<Item = CliResult<Memory>> + Send + use<> {
    let mut open: Option<CliResult<Open>> = Some(Archive::new(file.reader()).map_err(CliError::from));
    let mut skip = index;
    std::iter::from_fn(move || {
        let mut archive = match open.take()? {
            Ok(archive) => archive,
            Err(error) => return Some(Err(error)),
        };
        let read = next_memory(&mut archive, &mut skip).transpose();
        // After an error, nothing more is read.
        if matches!(read, Some(Ok(_))) {
            open = Some(Ok(archive));
        }
        read
    })
}

/// An archive being read again.
pub(super) type Open = Archive<BufReader<Reader>>;

/// Advances the archive to its next attachment and returns it; `None` after the last.
pub(super) fn next_attachment(archive: &mut Open) -> CliResult<Option<v1::Attachment>> {
    while let Some(item) = archive.next_item()? {
        let Item::Attachment(line) = item else { continue };
        return json::parse(line).and_then(|value| json::read(&value)).map(Some).map_err(CliError::usage);
    }
    Ok(None)
}

fn next_memory<R: Read>(archive: &mut Archive<R>, skip: &mut u64) -> CliResult<Option<Memory>> {
    while let Some(Item::Line(Section::Memories, line)) = archive.next_item()? {
        if *skip > 0 {
            *skip -= 1;
            continue;
        }
        let record = json::parse(line).and_then(|value| lines::record(&value));
        return record.map(|record| Some(Memory::Record(record))).map_err(CliError::usage);
    }
    Ok(None)
}

#[cfg(test)]
mod tests;
