//! Waits for the meditation that makes room in a full tier.

use std::time::Duration;

use kimberly_proto::v1;

use crate::client::Client;
use crate::error::{CliError, CliResult, Room};

/// Maximum wait: a meditation that takes longer has no worker.
const LONGEST: Duration = Duration::from_mins(5);

/// Waits until the meditation has ended. Without the right to watch it, waits as long as the server advises.
pub(crate) async fn wait(client: &Client, user: &str, room: &Room) -> CliResult {
    let Some(id) = &room.meditation else {
        tokio::time::sleep(room.after).await;
        return Ok(());
    };
    let watched = tokio::time::timeout(LONGEST, watch(client, user, id));
    let watched = watched.await.map_err(|_elapsed| {
        let seconds = LONGEST.as_secs();
        CliError::failed(format!(
            "{id}, which makes room, has not ended within {seconds} s; check that the worker runs (`kimberly doctor`)"
        ))
    })?;
    if watched.is_err() {
        tokio::time::sleep(room.after).await;
    }
    Ok(())
}

/// Follows a run to its end.
async fn watch(client: &Client, user: &str, id: &str) -> CliResult {
    let request = v1::WatchMeditationRequest { user_id: user.to_owned(), id: id.to_owned() };
    let mut events = client.meditations().watch_meditation(request).await?.into_inner();
    while events.message().await?.is_some() {}
    Ok(())
}
