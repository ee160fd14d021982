//! Keeps the leases of this process alive and recovers the jobs of dead ones, all the time.
//!
//! apalis does both with its heartbeat, but not while a worker drains or restarts, and its first
//! recovery comes a heartbeat after the start.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use apalis_core::backend::WorkerFilter;
use apalis_sqlite::queries;

use crate::{clock, queue::Shared, settle::stored_error};

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
        match round(shared, &names).await {
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

/// Our own leases first: after a suspension they look dead to ourselves too.
async fn round(shared: &Shared, names: &[String]) -> Result<u64, sqlx::Error> {
    let dead_for = i64::try_from(shared.options.lease().as_secs()).unwrap_or(i64::MAX);
    let mut tx = shared.pool.begin_with("BEGIN IMMEDIATE").await?;
    for name in names {
        sqlx::query("UPDATE Workers SET last_seen = strftime('%s', 'now') WHERE id = ?")
            .bind(name)
            .execute(&mut *tx)
            .await?;
    }
    let everybody = WorkerFilter::None;
    let recovered = queries::reenqueue_orphaned(&mut *tx, dead_for, &shared.options.name, &everybody).await?;
    tx.commit().await?;
    Ok(recovered)
}

/// Makes dead letters of rows apalis cannot even fetch: one would end every worker, for ever.
/// Only a damaged or hand-edited file has them.
pub(crate) async fn quarantine(shared: &Shared) -> Result<(), sqlx::Error> {
    let moved = sqlx::query(
        "UPDATE Jobs SET status = 'Killed', done_at = strftime('%s', 'now'), last_result = ? \
         WHERE job_type = ? AND status IN ('Pending', 'Failed') AND (length(id) <> 26 \
         OR id GLOB '*[^0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]*' OR substr(id, 1, 1) > '7')",
    )
    .bind(stored_error("malformed task id"))
    .bind(&shared.options.name)
    .execute(&shared.pool)
    .await?
    .rows_affected();
    if moved > 0 {
        tracing::error!(moved, "malformed rows became dead letters");
    }
    Ok(())
}
