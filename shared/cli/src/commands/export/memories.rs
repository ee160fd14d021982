//! Memories from the export stream, from any cursor on, reconnecting as often as needed.

use indicatif::ProgressBar;
use kimberly_proto::v1;

use super::part::Position;
use crate::client::Client;
use crate::error::{CliError, CliResult};
use crate::patience::Patience;
use crate::progress;

/// Passes all memories to `taken`, chunk by chunk, each with the position after it. Starts at `position`, which is updated
/// to the end.
pub(super) async fn all(
    client: &Client,
    request: v1::ExportMemoriesRequest,
    position: &mut Position,
    mut taken: impl FnMut(&[v1::MemoryRecord], &Position) -> CliResult,
) -> CliResult {
    let (bar, mut patience) = (progress::count(), Patience::default());
    loop {
        let (request, before) =
            (v1::ExportMemoriesRequest { cursor: position.cursor.clone(), ..request.clone() }, position.memories);
        match pieces(client, request, position, (&bar, &mut taken)).await {
            Ok(()) => {
                bar.finish_and_clear();
                return Ok(());
            }
            Err(error) => {
                if position.memories > before {
                    patience.renew();
                }
                patience.again(error).await?;
            }
        }
    }
}

/// Reads one stream to its end.
async fn pieces(
    client: &Client,
    request: v1::ExportMemoriesRequest,
    position: &mut Position,
    (bar, taken): (&ProgressBar, &mut impl FnMut(&[v1::MemoryRecord], &Position) -> CliResult),
) -> CliResult {
    let stream = client.memories().export_memories(request).await.map_err(CliError::of_stream)?;
    let mut stream = stream.into_inner();
    while let Some(piece) = stream.message().await.map_err(CliError::of_stream)? {
        position.memories += piece.records.len() as u64;
        position.cursor = piece.cursor;
        bar.set_position(position.memories);
        taken(&piece.records, position)?;
    }
    Ok(())
}
