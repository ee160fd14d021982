//! apalis's worker on Postgres.

use apalis_core::{
    backend::ext::BackendExt,
    worker::{builder::WorkerBuilder, context::WorkerContext},
};
use apalis_postgres::{Config, PostgresStorage};
use futures::{StreamExt, TryStreamExt};

use super::Postgres;
use crate::{
    leases::BEFORE_APALIS_RECOVERS,
    options::QueueOptions,
    poll::BellAndInterval,
    service::Intake,
    worker::{Events, Raw},
};

impl Postgres {
    /// A worker, as the stream of its events.
    pub(crate) fn consume(
        &self,
        context: WorkerContext,
        strategy: BellAndInterval,
        intake: Intake,
        options: &QueueOptions,
    ) -> Events {
        let backend = PostgresStorage::<Vec<u8>>::new(&self.fetching)
            .with_config(self.config(options))
            .with_codec(Raw)
            .poll_with_strategy(strategy);
        let worker = WorkerBuilder::new(context).backend(backend).build(intake);
        worker.stream().map_err(|error| error.to_string()).boxed()
    }

    fn config(&self, options: &QueueOptions) -> Config {
        Config {
            batch_size: 1,
            heartbeat_interval: options.heartbeat,
            missed_heartbeats: BEFORE_APALIS_RECOVERS,
            // Both done by `settle`, with fencing.
            lock_tasks: false,
            persist_results: false,
            ..Config::default().queue(self.queue(&options.name))
        }
    }
}

/// The sqlx error of a failed statement of apalis.
pub(super) fn sql(error: apalis_postgres::Error) -> sqlx::Error {
    match error {
        apalis_postgres::Error::Database(source) => source,
        other => sqlx::Error::Protocol(other.to_string()),
    }
}
