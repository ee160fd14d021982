//! `kimberly attachments`: lists attachments, downloads one, and attaches one to a memory or detaches it.

mod arriving;

use std::io;
use std::path::{Path, PathBuf};

use clap::Subcommand;
use kimberly_proto::v1;
use serde_json::json;

use arriving::Arriving;

use crate::context::Context;
use crate::error::{CliError, CliResult};
use crate::ids::Kind;
use crate::pages;
use crate::part_file::PartFile;
use crate::patience::Patience;
use crate::view::{Short, table};
use crate::{ids, json, text, time};

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// List attachments, oldest first
    List {
        /// Only attachments of this memory
        #[arg(long, value_name = "ID")]
        memory: Option<String>,
    },
    /// Fetch an attachment into a file
    Get {
        /// The attachment's id
        id: String,
        /// Where to write; `-` is stdout [default: the attachment's own name, as a new file in this folder]
        file: Option<PathBuf>,
    },
    /// Attach it to a memory
    Attach {
        /// The attachment's id
        id: String,
        /// The memory's id
        memory: String,
    },
    /// Detach it from a memory; it is erased with its last memory
    Detach {
        /// The attachment's id
        id: String,
        /// The memory's id
        memory: String,
    },
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        match self.command {
            Command::List { memory } => list(context, memory.unwrap_or_default()).await,
            Command::Get { id, file } => get(context, id, file).await,
            Command::Attach { id, memory } => attach(context, id, memory).await,
            Command::Detach { id, memory } => detach(context, id, memory).await,
        }
    }
}

async fn list(context: &Context, memory: String) -> CliResult {
    let client = context.connect().await?;
    let memory = ids::one(context, &client, Kind::Memory, memory).await?;
    let all = pages::attachments(&client, &context.user, &memory).await?;
    let answer = v1::ListAttachmentsResponse { attachments: all, next_page_token: String::new() };
    context.out.answer(
        || json::of(&answer),
        || {
            if answer.attachments.is_empty() {
                "no attachments; `kimberly attach FILE --memory ID` attaches one to a memory".to_owned()
            } else {
                rows(&answer.attachments)
            }
        },
    )
}

async fn attach(context: &Context, id: String, memory_id: String) -> CliResult {
    let client = context.connect().await?;
    let memory_id = ids::one(context, &client, Kind::Memory, memory_id).await?;
    let id = ids::one(context, &client, Kind::Attachment, id).await?;
    let request = v1::AttachToMemoryRequest { user_id: context.user.clone(), memory_id, id };
    let answer = client.attachments().attach_to_memory(request).await?.into_inner();
    let attachment = answer.attachment.clone().unwrap_or_default();
    let told = || match attachment.created_at {
        Some(_) => said(&attachment),
        // Callers without the right to read get no more than this.
        None => format!("{} is attached to {}", attachment.id, attachment.memory_ids.join(", ")),
    };
    context.out.answer(|| json::of(&answer), told)
}

async fn detach(context: &Context, id: String, memory_id: String) -> CliResult {
    let client = context.connect().await?;
    let memory_id = ids::one(context, &client, Kind::Memory, memory_id).await?;
    let id = ids::one(context, &client, Kind::Attachment, id).await?;
    let user_id = context.user.clone();
    let request = v1::DetachFromMemoryRequest { user_id, memory_id: memory_id.clone(), id: id.clone() };
    let answer = client.attachments().detach_from_memory(request).await?.into_inner();
    context.out.answer(|| json::of(&answer), || format!("detached {id} from {memory_id}"))
}

/// Downloads an attachment, resuming after a lost connection. The file gets its name only after its hash was verified.
async fn get(context: &Context, id: String, file: Option<PathBuf>) -> CliResult {
    let client = context.connect().await?;
    let id = ids::one(context, &client, Kind::Attachment, id).await?;
    let request = v1::GetAttachmentRequest { user_id: context.user.clone(), id: id.clone() };
    let attachment = client.attachments().get_attachment(request).await?.into_inner().attachment;
    let attachment = attachment.unwrap_or_default();
    let file = match file {
        Some(file) => file,
        None => own_name(&attachment)?,
    };
    if file.as_os_str() == "-" {
        let mut arriving = Arriving::into(io::stdout().lock());
        fetch(context, &id, &mut arriving).await?;
        return arriving.whole(&attachment).map(drop);
    }
    let (part, out) = PartFile::open(&file)?;
    let mut arriving = Arriving::into(out);
    fetch(context, &id, &mut arriving).await?;
    part.finish(&arriving.whole(&attachment)?)?;
    let (name, bytes) = (file.display().to_string(), attachment.size_bytes);
    context.out.answer(
        || json!({"id": id, "file": name, "bytes": bytes}),
        || format!("fetched {} into {name}", text::bytes(bytes)),
    )
}

async fn fetch(context: &Context, id: &str, arriving: &mut Arriving<impl io::Write>) -> CliResult {
    let client = context.connect().await?;
    let mut patience = Patience::default();
    loop {
        let offset = arriving.bytes();
        let request = v1::DownloadAttachmentRequest { user_id: context.user.clone(), id: id.to_owned(), offset };
        let fetching = async {
            let answers = client.attachments().download_attachment(request).await.map_err(CliError::of_stream)?;
            let mut pieces = answers.into_inner();
            while let Some(piece) = pieces.message().await.map_err(CliError::of_stream)? {
                arriving.take(&piece.piece)?;
            }
            Ok::<_, CliError>(())
        };
        match fetching.await {
            Ok(()) => return Ok(()),
            Err(error) => {
                if arriving.bytes() > offset {
                    patience.renew();
                }
                patience.again(error).await?;
            }
        }
    }
}

/// Returns the attachment's name if it can be a new file in this folder and nowhere else.
fn own_name(attachment: &v1::Attachment) -> CliResult<PathBuf> {
    let unusable =
        |why: &str| CliError::usage(format!("the name {:?} {why}; give a file to write to", attachment.name));
    let name = Path::new(&attachment.name);
    let plain = name.file_name().is_some_and(|last| last == name.as_os_str());
    if !plain || attachment.name.starts_with('.') {
        return Err(unusable("cannot be used as a file name here"));
    }
    if name.exists() {
        return Err(unusable("is taken by a file in this folder"));
    }
    Ok(name.to_owned())
}

/// One attachment, with its complete id.
pub(crate) fn said(attachment: &v1::Attachment) -> String {
    let name = text::line(&attachment.name, 60);
    let on = text::memories(attachment.memory_ids.len());
    format!("{}  {name}, {}, on {on}", attachment.id, text::bytes(attachment.size_bytes))
}

/// Attachments as a table.
fn rows(attachments: &[v1::Attachment]) -> String {
    let short = Short::of(attachments.iter().map(|attachment| attachment.id.as_str()));
    let mut rows = table(&["id", "name", "type", "size", "uploaded", "memories"]);
    for attachment in attachments {
        rows.add_row([
            short.id(&attachment.id).to_owned(),
            text::line(&attachment.name, 60),
            text::line(&attachment.media_type, 40),
            text::bytes(attachment.size_bytes),
            time::minute(attachment.created_at.as_ref()),
            attachment.memory_ids.len().to_string(),
        ]);
    }
    rows.trim_fmt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_plain_new_name_is_written_to_unasked() {
        let named = |name: &str| own_name(&v1::Attachment { name: name.to_owned(), ..Default::default() });
        assert!(named("no such file.png").is_ok());
        for name in ["", ".", "..", "../x", "a/b", "/etc/passwd", ".bashrc", "src"] {
            assert!(named(name).is_err(), "{name:?} is written to");
        }
    }
}
