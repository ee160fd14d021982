//! `kimberly export`: everything a user has, as an archive or as JSON lines; `kimberly import` reads both back without
//! loss.
//!
//! An archive is one file, verified to the byte (docs/archive.md) and optionally encrypted with age. In JSON lines, the
//! first line names the format; then come consent records, settings, goals, memories in the order of their creation,
//! and consent records added meanwhile, each line an object with a `kind`. A memory's line has the fields of the
//! contract's `Memory` and of its `MemoryRecord` side by side, so that a line is readable without knowing either. If
//! the server goes away, the export waits for it; an interrupted export continues with `--resume`.

mod attachments;
pub(crate) mod lines;
mod markdown;
mod memories;
mod part;
mod whole;

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use kimberly_proto::v1;
use serde_json::json;
use tonic::Code;

use crate::client::Client;
use crate::context::Context;
use crate::envelope::ClosingArgs;
use crate::error::{CliError, CliResult};
use crate::filter::FilterArgs;
use crate::patience::Patience;
use crate::{json, pages, text};
use part::{Part, Position};
use whole::Manner;

#[derive(clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct Args {
    /// Where to write JSON lines; `-` is stdout
    #[arg(default_value = "-")]
    file: PathBuf,
    /// Write an archive instead, with attachments, the audit and checksums; `-` is stdout
    #[arg(long, value_name = "FILE", conflicts_with_all = ["file", "memories_only", "withheld"])]
    archive: Option<PathBuf>,
    /// Write readable Markdown into an empty folder instead: a page per category, a file per named record
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["file", "archive", "memories_only", "withheld", "resume"])]
    markdown: Option<PathBuf>,
    /// How memories are grouped into categories of Markdown
    #[arg(long, value_enum, default_value_t, requires = "markdown")]
    by: markdown::By,
    /// Omit attachments from the archive
    #[arg(long, requires = "archive")]
    without_attachments: bool,
    /// Omit settings and goals
    #[arg(long)]
    memories_only: bool,
    /// Also memories hidden because their consent was retracted; an archive always contains them
    #[arg(long)]
    withheld: bool,
    /// Resume an interrupted export into this file, with the same filter
    #[arg(long)]
    resume: bool,
    #[command(flatten)]
    closing: ClosingArgs,
    #[command(flatten)]
    filter: FilterArgs,
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        if self.resume && self.archive.as_ref().unwrap_or(&self.file).as_os_str() == "-" {
            return Err(CliError::usage("--resume needs a file, because stdout cannot be resumed"));
        }
        if let Some(folder) = &self.markdown {
            return markdown::run(context, folder, self.by, self.filter.to_proto()).await;
        }
        if let Some(archive) = &self.archive {
            if self.filter.to_proto() != v1::MemoryFilter::default() {
                return Err(CliError::usage("an archive contains everything; to select memories, export JSON lines"));
            }
            let Self { resume, without_attachments, .. } = self;
            if resume && self.closing.is_asked() {
                return Err(CliError::usage("an encrypted archive cannot be resumed; omit --resume to start over"));
            }
            let recipients = self.closing.recipients()?;
            return whole::run(context, archive, Manner { resume, without_attachments, recipients }).await;
        }
        // `requires` covers this too, but not where `archive` would conflict with another argument.
        if self.closing.is_asked() {
            return Err(CliError::usage(
                "only an archive is encrypted: write one with --archive, or JSON lines through `kimberly export | age ...`",
            ));
        }
        let client = context.connect().await?;
        if self.file.as_os_str() == "-" {
            return self.to_stdout(context, &client).await;
        }
        let (mut part, position) = Part::open(&self.file, self.resume)?;
        let written = if self.resume { part.consents()? } else { self.head(context, &client, &mut part).await? };
        if !self.resume {
            part.save(&Position::default())?;
        }
        let count = self.memories(context, &client, &mut part, position, Part::passed).await?;
        self.later_consents(context, &client, &written, &mut part).await?;
        part.finish()?;
        let name = self.file.display();
        context.out.answer(
            || json!({"file": name.to_string(), "memories": count}),
            || format!("exported {} to {name}", text::memories(count)),
        )
    }

    async fn to_stdout(&self, context: &Context, client: &Client) -> CliResult {
        let mut out = BufWriter::new(io::stdout());
        let written = self.head(context, client, &mut out).await?;
        let count = self.memories(context, client, &mut out, Position::default(), |_, _| Ok(())).await?;
        self.later_consents(context, client, &written, &mut out).await?;
        out.flush()?;
        context.out.note(&format!("exported {}", text::memories(count)));
        Ok(())
    }

    /// Writes everything before the memories; returns the lines of consents.
    async fn head(&self, context: &Context, client: &Client, out: &mut impl Write) -> CliResult<Vec<String>> {
        writeln!(out, "{}", lines::format_line(&context.user))?;
        let consents = self.consents(context, client).await?;
        for line in &consents {
            writeln!(out, "{line}")?;
        }
        if self.memories_only {
            return Ok(consents);
        }
        let request = v1::GetSettingsRequest { user_id: context.user.clone() };
        let held = client.settings().get_settings(request).await?.into_inner();
        writeln!(out, "{}", json::line_of(lines::SETTINGS, &held.user_settings.unwrap_or_default())?)?;
        for goal in pages::goals(client, &context.user, 0).await? {
            writeln!(out, "{}", json::line_of(lines::GOAL, &goal)?)?;
        }
        Ok(consents)
    }

    /// The consents that memories are stored under. With `--memories-only`, a key that may export but not read omits
    /// them.
    async fn consents(&self, context: &Context, client: &Client) -> CliResult<Vec<String>> {
        let mut patience = Patience::default();
        loop {
            match pages::consents(client, &context.user, true).await {
                Ok(read) => return read.iter().map(|consent| json::line_of(lines::CONSENT, consent)).collect(),
                Err(denied) if self.memories_only && denied.code() == Code::PermissionDenied => {
                    context.out.note("without records of consent, which this key may not read");
                    return Ok(Vec::new());
                }
                Err(failed) => patience.again(CliError::of_stream(failed)).await?,
            }
        }
    }

    /// Writes consents that were added or changed while memories were written, since those may depend on them.
    async fn later_consents(
        &self,
        context: &Context,
        client: &Client,
        written: &[String],
        out: &mut impl Write,
    ) -> CliResult {
        for line in self.consents(context, client).await?.iter().filter(|line| !written.contains(line)) {
            writeln!(out, "{line}")?;
        }
        Ok(())
    }

    /// Writes all memories from `position` on; returns their total number, earlier ones included. `passed` gets every
    /// position.
    async fn memories<W: Write>(
        &self,
        context: &Context,
        client: &Client,
        out: &mut W,
        mut position: Position,
        mut passed: impl FnMut(&mut W, &Position) -> CliResult,
    ) -> CliResult<u64> {
        let request = v1::ExportMemoriesRequest {
            user_id: context.user.clone(),
            filter: Some(self.filter.to_proto()),
            include_withheld: self.withheld,
            ..v1::ExportMemoriesRequest::default()
        };
        let taken = |records: &[v1::MemoryRecord], position: &Position| -> CliResult {
            for record in records {
                writeln!(out, "{}", json::line_of(lines::RECORD, record)?)?;
            }
            passed(out, position)
        };
        memories::all(client, request, &mut position, taken).await?;
        Ok(position.memories)
    }
}
