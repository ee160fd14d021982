//! Renews the leases of this process and recovers the jobs of dead workers, continuously.
//!
//! apalis does both with its heartbeat, but not while a worker drains or restarts, and it recovers immediately after
//! an outage, when most workers that look dead are alive (see `contact`). So its own recovery is off.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use crate::{clock, contact::Contact, shared::Shared};

const ROUND: Duration = Duration::from_millis(500);

/// Heartbeats after which apalis itself recovers jobs: years, so that only `maintain` does.
pub(crate) const BEFORE_APALIS_RECOVERS: usize = 100_000_000;

/// The names of a consumer's workers that run or still have running jobs.
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

/// Never returns; the caller drops it.
pub(crate) async fn maintain(shared: &Shared, crew: &Crew) {
    let mut rounds = tokio::time::interval(ROUND);
    rounds.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let (queue, lease) = (&shared.options.name, shared.options.lease());
    let mut contact = Contact::new(lease, clock::since_1970());
    let mut renewed_at = 0;
    loop {
        rounds.tick().await;
        // Leases have a resolution of one second; a recovery that finds nothing writes nothing.
        let now = clock::unix_now();
        let names = if now == renewed_at { Vec::new() } else { crew.lock().clone() };
        // Own leases first: after a suspension they look expired too. `may_recover` runs after the renewal, since the
        // database may have delayed it.
        let may_recover = || contact.may_recover(clock::since_1970());
        let renewed = shared.database.renew_leases(queue, &names, lease, may_recover).await;
        match renewed {
            Ok(recovered) => {
                renewed_at = now;
                contact.renewed(clock::since_1970());
                if recovered > 0 {
                    tracing::warn!(recovered, "jobs of a dead worker are pending again");
                    shared.bell.ring();
                }
            }
            Err(error) => {
                contact.failed(clock::since_1970());
                tracing::debug!(%error, "cannot renew leases now");
            }
        }
    }
}

/// Turns rows that apalis cannot fetch into dead letters: one would end every worker, forever. Only a damaged or
/// hand-edited database has them.
pub(crate) async fn quarantine(shared: &Shared) -> Result<(), sqlx::Error> {
    let moved = shared.database.quarantine(&shared.options.name, "malformed task id").await?;
    if moved > 0 {
        tracing::error!(moved, "malformed rows became dead letters");
    }
    Ok(())
}
