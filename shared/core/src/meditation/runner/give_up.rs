//! Gives up a run that no worker could carry out.

use std::sync::Arc;

use crate::error::Result;
use crate::ids::{MeditationId, UserId};
use crate::meditation::schedule::entry;
use crate::ports::Vaults;
use crate::time::Timestamp;

/// Marks a run failed, whichever process has it. Raises its generation, so that a worker that still has it stops. Does
/// nothing to a run that is over or unknown.
pub(crate) async fn give_up(
    vaults: &Arc<dyn Vaults>,
    user: &UserId,
    id: MeditationId,
    why: &str,
    now: Timestamp,
) -> Result<()> {
    let why = why.to_owned();
    let marking = vaults.transact(user, "meditation.give_up", move |tx| {
        let why = why.clone();
        Box::pin(async move {
            let Some(mut run) = tx.meditation(id).await?.filter(|run| !run.is_over()) else { return Ok(()) };
            run.generation += 1;
            run.fail(now, &why);
            tx.put_meditation(&run).await?;
            tx.audit(&entry(&run, "meditation.fail", now, 1)).await
        })
    });
    marking.await
}
