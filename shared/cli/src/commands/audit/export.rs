//! `kimberly audit export`: the complete audit as JSON lines, or the entries since an earlier export.
//!
//! A file gets its name once it is complete. If the connection is lost, the export retries and resumes where it broke
//! off.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use kimberly_proto::v1;
use serde_json::json;

use super::lines;
use crate::client::Client;
use crate::context::Context;
use crate::error::{CliError, CliResult};
use crate::part_file::PartFile;
use crate::patience::Patience;
use crate::view;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The system's audit: changes of keys, and refused calls
    #[arg(long)]
    system: bool,
    /// Where to write; `-` is stdout
    #[arg(default_value = "-")]
    file: PathBuf,
    /// Only entries after this number, to continue an earlier export
    #[arg(long, default_value_t = 0, hide_default_value = true, value_name = "NUMBER")]
    after: i64,
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        let client = context.connect().await?;
        let user_id = super::of(context, self.system);
        let mut export = Export { user_id, section: None, after: self.after, entries: 0 };
        if self.file.as_os_str() == "-" {
            let mut out = BufWriter::new(io::stdout());
            export.write(&client, |line| Ok(writeln!(out, "{line}")?)).await?;
            out.flush()?;
            context.out.note(&format!("exported {}", export.count()));
            return Ok(());
        }
        let (part, out) = PartFile::open(&self.file)?;
        let mut out = BufWriter::new(out);
        export.write(&client, |line| Ok(writeln!(out, "{line}")?)).await?;
        part.finish(&out.into_inner().map_err(io::IntoInnerError::into_error)?)?;
        let name = self.file.display();
        context.out.answer(
            || json!({"file": name.to_string(), "entries": export.entries}),
            || format!("exported {} to {name}", export.count()),
        )
    }
}

/// Passes each line of a user's complete audit to `put`; returns the number of entries.
pub(in crate::commands) async fn all(
    client: &Client,
    user: &str,
    put: impl FnMut(&str) -> CliResult,
) -> CliResult<u64> {
    let mut export = Export { user_id: user.to_owned(), section: None, after: 0, entries: 0 };
    export.write(client, put).await?;
    Ok(export.entries)
}

/// The progress of an export.
struct Export {
    user_id: String,
    section: Option<v1::AuditSection>,
    after: i64,
    entries: u64,
}

impl Export {
    /// The number of exported entries, in words.
    fn count(&self) -> String {
        view::entries(i64::try_from(self.entries).unwrap_or(i64::MAX))
    }

    async fn write(&mut self, client: &Client, mut put: impl FnMut(&str) -> CliResult) -> CliResult {
        let mut patience = Patience::default();
        loop {
            let (request, before) =
                (v1::ExportAuditRequest { user_id: self.user_id.clone(), after: self.after }, self.entries);
            match self.stream(client, request, &mut put).await {
                Ok(()) => return Ok(()),
                Err(error) => {
                    if self.entries > before {
                        patience.renew();
                    }
                    patience.again(error).await?;
                }
            }
        }
    }

    /// Passes the entries of one stream to `put`, until it ends.
    async fn stream(
        &mut self,
        client: &Client,
        request: v1::ExportAuditRequest,
        put: &mut impl FnMut(&str) -> CliResult,
    ) -> CliResult {
        let mut stream = client.audit().export_audit(request).await.map_err(CliError::of_stream)?.into_inner();
        while let Some(piece) = stream.message().await.map_err(CliError::of_stream)? {
            // A resumed stream repeats the section header; the file contains it once.
            if let (Some(section), None) = (piece.section, &self.section) {
                put(&lines::section_line(&section))?;
                self.after = section.begins.as_ref().map_or(0, |begins| begins.number);
                self.section = Some(section);
            }
            let last = self.section.as_ref().map_or(0, |section| section.last);
            for entry in piece.entries.iter().filter(|entry| entry.number <= last) {
                put(&lines::entry_line(entry)?)?;
                self.after = entry.number;
                self.entries += 1;
            }
        }
        Ok(())
    }
}
