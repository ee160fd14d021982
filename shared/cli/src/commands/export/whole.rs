//! `kimberly export --archive`: everything a user has, in one file whose every byte is verified.
//!
//! Memories and attachments come first and can be resumed; the rest is small and written again. Consents are read after
//! all memories are written, so that none is missing that a memory refers to.
//!
//! An encrypted archive reaches the disk only encrypted. Reading it back needs a secret key, which an export never has,
//! so an interrupted encrypted export starts over.

use std::io::{self, BufWriter, Read, Write};
use std::path::Path;

use kimberly_archive::envelope::{EnvelopeWriter, Recipients};
use kimberly_archive::{Section, Writer};
use kimberly_proto::v1;
use serde_json::json;

use super::part::{Part, Position};
use super::{attachments, lines, memories};
use crate::client::Client;
use crate::commands::{audit, links};
use crate::context::Context;
use crate::error::{CliError, CliResult};
use crate::patience::patiently;
use crate::{json, pages, text};

/// Bytes between two positions at which the export can resume.
const SAVE_EVERY: u64 = 1 << 20;

/// Numbers of lines per section.
#[derive(Clone, Copy, Debug)]
struct Written {
    memories: u64,
    attachments: u64,
    consents: u64,
    goals: u64,
    links: u64,
    entries: u64,
}

/// Options of an archive.
#[derive(Debug)]
pub(super) struct Manner {
    /// Continues an interrupted archive.
    pub(super) resume: bool,
    pub(super) without_attachments: bool,
    /// The recipients it is encrypted for, if any.
    pub(super) recipients: Option<Recipients>,
}

pub(super) async fn run(context: &Context, file: &Path, manner: Manner) -> CliResult {
    let client = context.connect().await?;
    let written = match (file.as_os_str() == "-", &manner.recipients) {
        (true, None) => {
            let (mut out, written) = begin(context, &client, BufWriter::new(io::stdout()), &manner).await?;
            out.flush()?;
            written
        }
        (true, Some(recipients)) => {
            let out = EnvelopeWriter::new(BufWriter::new(io::stdout()), recipients)?;
            let (out, written) = begin(context, &client, out, &manner).await?;
            out.finish()?.flush()?;
            written
        }
        (false, None) => into_file(context, &client, file, &manner).await?,
        (false, Some(recipients)) => {
            let out = EnvelopeWriter::new(Part::open(file, false)?.0, recipients)?;
            let (out, written) = begin(context, &client, out, &manner).await?;
            out.finish()?.finish()?;
            written
        }
    };
    if file.as_os_str() == "-" {
        context.out.note(&in_words(written));
        return Ok(());
    }
    let (name, encrypted) = (file.display(), manner.recipients.is_some());
    let Written { memories, attachments, consents, goals, links, entries } = written;
    context.out.answer(
        || {
            json!({
                "file": name.to_string(), "memories": memories, "attachments": attachments, "consents": consents,
                "goals": goals, "links": links, "auditEntries": entries, "encrypted": encrypted,
            })
        },
        || format!("{} to {name}{}", in_words(written), if encrypted { ", encrypted with age" } else { "" }),
    )
}

/// Writes a complete archive to an output that cannot be resumed.
async fn begin<W: Write>(context: &Context, client: &Client, out: W, manner: &Manner) -> CliResult<(W, Written)> {
    let what = (Writer::new(out)?, Position::default(), !manner.without_attachments);
    write(context, client, what, |_, _| Ok(())).await
}

/// Writes an archive to a file, resuming an interrupted one if requested.
async fn into_file(context: &Context, client: &Client, file: &Path, manner: &Manner) -> CliResult<Written> {
    let &Manner { resume, without_attachments, .. } = manner;
    let (part, position) = Part::open(file, resume)?;
    if without_attachments && position.attachments > 0 {
        return Err(CliError::usage(
            "the unfinished archive contains attachments: omit --resume or --without-attachments",
        ));
    }
    let mut writer = if resume { Writer::resume(part.before()?, part)? } else { Writer::new(part)? };
    if !resume {
        writer.out().save(&Position::default())?;
    }
    let save = |writer: &mut Writer<Part>, position: &Position| -> CliResult {
        if writer.out().is_due(SAVE_EVERY) {
            writer.end_piece()?;
            writer.out().save(position)?;
        }
        Ok(())
    };
    let (part, written) = write(context, client, (writer, position, !without_attachments), save).await?;
    part.finish()?;
    Ok(written)
}

fn in_words(written: Written) -> String {
    let Written { memories, attachments, consents, goals, links, entries } = written;
    format!(
        "exported {}, {}, {}, {}, {} and {} of the audit",
        text::memories(memories),
        text::count(attachments, "attachment", "attachments"),
        text::count(consents, "consent", "consents"),
        text::count(goals, "goal", "goals"),
        text::count(links, "link", "links"),
        text::count(entries, "entry", "entries"),
    )
}

/// Writes everything that is missing, with attachments or without; `passed` gets every position among memories and
/// attachments.
async fn write<W: Write>(
    context: &Context,
    client: &Client,
    (mut writer, mut position, with_attachments): (Writer<W>, Position, bool),
    mut passed: impl FnMut(&mut Writer<W>, &Position) -> CliResult,
) -> CliResult<(W, Written)> {
    let request = v1::ExportMemoriesRequest {
        user_id: context.user.clone(),
        filter: Some(v1::MemoryFilter::default()),
        include_withheld: true,
        ..v1::ExportMemoriesRequest::default()
    };
    let taken = |records: &[v1::MemoryRecord], position: &Position| -> CliResult {
        for record in records {
            writer.line(Section::Memories, &lines::of_archive::memory(record)?)?;
        }
        passed(&mut writer, position)
    };
    // No memories may follow attachments: memories created after the interruption are not in the archive.
    if position.behind.is_empty() {
        memories::all(client, request, &mut position, taken).await?;
    }
    if with_attachments {
        let taken = |attachment: &v1::Attachment, bytes: &mut dyn Read, position: &Position| -> CliResult {
            writer.attachment(&json::line(attachment)?, bytes)?;
            passed(&mut writer, position)
        };
        attachments::all(client, &context.user, &mut position, taken).await?;
    }
    let Position { memories, attachments, .. } = position;
    let (consents, goals, links) = rest(context, client, &mut writer).await?;
    let entry = |line: &str| -> CliResult { Ok(writer.line(Section::Audit, line)?) };
    let entries = audit::export::all(client, &context.user, entry).await?;
    Ok((writer.finish()?, Written { memories, attachments, consents, goals, links, entries }))
}

/// Writes consents, goals, links and settings; returns the numbers of the first three.
async fn rest<W: Write>(context: &Context, client: &Client, writer: &mut Writer<W>) -> CliResult<(u64, u64, u64)> {
    let user = &context.user;
    let consents = patiently(|| pages::consents(client, user, true)).await?;
    for consent in &consents {
        writer.line(Section::Consents, &lines::of_archive::consent(consent)?)?;
    }
    let goals = patiently(|| pages::goals(client, user, 0)).await?;
    for goal in &goals {
        writer.line(Section::Goals, &json::line(goal)?)?;
    }
    let asked = v1::ListLinksRequest { user_id: user.clone(), include_withheld: true, ..Default::default() };
    let links = patiently(|| links::of(client, asked.clone())).await?;
    for link in &links {
        writer.line(Section::Links, &json::line(link)?)?;
    }
    let held =
        patiently(|| async { client.settings().get_settings(v1::GetSettingsRequest { user_id: user.clone() }).await });
    let set = held.await?.into_inner().user_settings.unwrap_or_default();
    if set != v1::UserSettings::default() {
        writer.line(Section::Settings, &json::line(&set)?)?;
    }
    Ok((consents.len() as u64, goals.len() as u64, links.len() as u64))
}
