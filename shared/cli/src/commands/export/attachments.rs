//! Attachments from the export stream, from any cursor on, reconnecting as often as needed.
//!
//! Each attachment is spooled to disk first: an archive states the length before the bytes, and an attachment that the
//! server does not finish must not be written in part.

use std::io::{Read, Write as _};

use kimberly_proto::v1;
use tonic::{Code, Status};

use super::part::Position;
use crate::client::Client;
use crate::error::{CliError, CliResult};
use crate::patience::Patience;
use crate::spool::Spool;

/// Passes all attachments of a user to `taken`, each with its bytes and the position after it. Starts at `position`, which
/// is updated to the end. A server without attachments has none.
pub(super) async fn all(
    client: &Client,
    user: &str,
    position: &mut Position,
    mut taken: impl FnMut(&v1::Attachment, &mut dyn Read, &Position) -> CliResult,
) -> CliResult {
    let mut patience = Patience::default();
    loop {
        let before = position.attachments;
        let request = v1::ExportAttachmentsRequest { user_id: user.to_owned(), cursor: position.behind.clone() };
        match pieces(client, request, position, &mut taken).await {
            Ok(()) => return Ok(()),
            Err(error) => {
                if position.attachments > before {
                    patience.renew();
                }
                patience.again(error).await?;
            }
        }
    }
}

/// Reads the attachments of one stream to its end.
async fn pieces(
    client: &Client,
    request: v1::ExportAttachmentsRequest,
    position: &mut Position,
    taken: &mut impl FnMut(&v1::Attachment, &mut dyn Read, &Position) -> CliResult,
) -> CliResult {
    let is_unknown = |status: &Status| status.code() == Code::Unimplemented;
    let mut stream = match client.attachments().export_attachments(request).await {
        Ok(stream) => stream.into_inner(),
        Err(unknown) if is_unknown(&unknown) => return Ok(()),
        Err(failed) => return Err(CliError::of_stream(failed)),
    };
    let disorder = || {
        CliError::failed("the server sent attachments in an unknown order; use the same version of client and server")
    };
    let mut open: Option<(v1::Attachment, Spool)> = None;
    while let Some(answer) = stream.message().await.map_err(CliError::of_stream)? {
        if let Some(attachment) = answer.attachment {
            open = Some((attachment, Spool::new()?));
        }
        let Some((_, spool)) = &mut open else { return Err(disorder()) };
        spool.write_all(&answer.piece)?;
        if answer.cursor.is_empty() {
            continue;
        }
        let Some((attachment, spool)) = open.take() else { return Err(disorder()) };
        position.behind = answer.cursor;
        position.attachments += 1;
        taken(&attachment, &mut spool.into_reader()?, position)
            .map_err(|error| error.during(&format!("attachment {}", attachment.id)))?;
    }
    // An attachment that was started but not finished was erased meanwhile.
    Ok(())
}
