//! Keeps the leases of this process alive and recovers the jobs of dead ones, all the time.
//!
//! apalis does both with its heartbeat, but not while a worker drains or restarts, and its first
//! recovery comes a heartbeat after the start.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use crate::{clock, queue::Shared};

const ROUND: Duration = Duration::from_millis(500);

/// The names of the workers of one consumer that are up or still have running jobs.
#[derive(Debug, Default)]
pub(crate) struct Crew(Mutex<Vec<String>>);

impl Crew {
    pub(crate) fn join(&self, name: &str) {
        self.lock().push(name.to_owned());
    }

    pub(crate) fn leave(&self, name: &str) {
        self.lock().retain(|other| other != name);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Never ends; to be dropped.
pub(crate) async fn keep(shared: &Shared, crew: &Crew) {
    let mut rounds = tokio::time::interval(ROUND);
    rounds.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut renewed_at = 0;
    loop {
        rounds.tick().await;
        // Leases have a grain of one second; recovery without a find writes nothing.
        let now = clock::unix_now();
        let names = if now == renewed_at { Vec::new() } else { crew.lock().clone() };
        let (queue, lease) = (&shared.options.name, shared.options.lease());
        // Our own leases first: after a suspension they look dead to ourselves too.
        match shared.database.renew_leases(queue, &names, lease).await {
            Ok(recovered) => {
                renewed_at = now;
                if recovered > 0 {
                    tracing::warn!(recovered, "jobs of a dead worker are pending again");
                    shared.bell.ring();
                }
            }
            Err(error) => tracing::debug!(%error, "cannot keep leases now"),
        }
    }
}

/// Makes dead letters of rows apalis cannot even fetch: one would end every worker, for ever.
/// Only a damaged or hand-edited database has them.
pub(crate) async fn quarantine(shared: &Shared) -> Result<(), sqlx::Error> {
    let moved = shared.database.quarantine(&shared.options.name, "malformed task id").await?;
    if moved > 0 {
        tracing::error!(moved, "malformed rows became dead letters");
    }
    Ok(())
}
