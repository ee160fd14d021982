//! Memories from the export stream, from any cursor on, reconnecting as often as needed.

use indicatif::ProgressBar;
use kimberly_proto::v1;

use super::part::Place;
use crate::client::Client;
use crate::error::{CliError, CliResult};
use crate::patience::Patience;
use crate::progress;

/// Passes all memories to `taken`, chunk by chunk, each with the position after it. Starts at `place`, which is updated
/// to the end.
pub(super) async fn all(
    client: &Client,
    request: v1::ExportMemoriesRequest,
    place: &mut Place,
    mut taken: impl FnMut(&[v1::MemoryRecord], &Place) -> CliResult,
) -> CliResult {
    let (bar, mut patience) = (progress::count(), Patience::default());
    loop {
        let (request, before) =
            (v1::ExportMemoriesRequest { cursor: place.cursor.clone(), ..request.clone() }, place.memories);
        match pieces(client, request, place, (&bar, &mut taken)).await {
            Ok(()) => {
                bar.finish_and_clear();
                return Ok(());
            }
            Err(error) => {
                if place.memories > before {
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
    place: &mut Place,
    (bar, taken): (&ProgressBar, &mut impl FnMut(&[v1::MemoryRecord], &Place) -> CliResult),
) -> CliResult {
    let stream = client.memories().export_memories(request).await.map_err(CliError::of_stream)?;
    let mut stream = stream.into_inner();
    while let Some(piece) = stream.message().await.map_err(CliError::of_stream)? {
        place.memories += piece.records.len() as u64;
        place.cursor = piece.cursor;
        bar.set_position(place.memories);
        taken(&piece.records, place)?;
    }
    Ok(())
}
