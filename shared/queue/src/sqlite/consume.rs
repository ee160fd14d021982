//! apalis's worker on the file.

use apalis_core::{
    backend::ext::BackendExt,
    worker::{builder::WorkerBuilder, context::WorkerContext},
};
use apalis_sqlite::{Config, SqliteStorage};
use futures::{StreamExt, TryStreamExt};

use super::Sqlite;
use crate::{
    leases::BEFORE_APALIS_RECOVERS,
    options::QueueOptions,
    poll::BellAndInterval,
    service::Intake,
    worker::{Events, Raw},
};

impl Sqlite {
    /// A worker, as the stream of its events.
    pub(crate) fn consume(
        &self,
        context: WorkerContext,
        strategy: BellAndInterval,
        intake: Intake,
        options: &QueueOptions,
    ) -> Events {
        let backend = SqliteStorage::<Vec<u8>>::new(&self.pool)
            .with_config(config(options))
            .with_codec(Raw)
            .poll_with_strategy(strategy);
        let worker = WorkerBuilder::new(context).backend(backend).build(intake);
        worker.stream().map_err(|error| error.to_string()).boxed()
    }
}

fn config(options: &QueueOptions) -> Config {
    Config {
        batch_size: 1,
        heartbeat_interval: options.heartbeat,
        missed_heartbeats: BEFORE_APALIS_RECOVERS,
        // Both done by `settle`, with fencing.
        lock_tasks: false,
        persist_results: false,
        ..Config::default().queue(&options.name)
    }
}
