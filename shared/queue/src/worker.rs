//! One life of an apalis worker: from registering to a stop or a database error.

use std::{convert::Infallible, panic::AssertUnwindSafe, pin::pin};

use apalis_core::{
    backend::{codec::Codec, ext::BackendExt},
    worker::{builder::WorkerBuilder, context::WorkerContext, event::Event},
};
use apalis_sqlite::{Config, SqliteStorage};
use futures::{FutureExt, StreamExt};
use tokio_util::sync::CancellationToken;

use crate::{options::QueueOptions, poll::BellAndInterval, queue::Shared, service::Intake};

/// Leaves payloads alone: apalis's worker would die of one it cannot decode.
#[derive(Debug, Clone, Copy)]
struct Raw;

impl Codec<Vec<u8>> for Raw {
    type Error = Infallible;
    type Compact = Vec<u8>;

    fn encode(&self, bytes: &Vec<u8>) -> Result<Vec<u8>, Infallible> {
        Ok(bytes.clone())
    }

    fn decode(&self, bytes: &Vec<u8>) -> Result<Vec<u8>, Infallible> {
        Ok(bytes.clone())
    }
}

/// How a worker's life ended.
#[derive(Debug)]
pub(crate) enum End {
    /// It was asked to.
    Stopped,
    /// By this error.
    Failed(String),
}

/// Runs the worker `name` until `stop` or an error; a panic inside apalis is an error.
pub(crate) async fn live(shared: &Shared, name: &str, intake: Intake, stop: &CancellationToken) -> End {
    AssertUnwindSafe(drive(shared, name, intake, stop))
        .catch_unwind()
        .await
        .unwrap_or_else(|_| End::Failed("the apalis worker panicked".to_owned()))
}

async fn drive(shared: &Shared, name: &str, intake: Intake, stop: &CancellationToken) -> End {
    let context = WorkerContext::new(name);
    let strategy = BellAndInterval::new(shared.bell.clone(), shared.options.poll);
    let backend = SqliteStorage::<Vec<u8>>::new(&shared.pool)
        .with_config(config(&shared.options))
        .with_codec(Raw)
        .poll_with_strategy(strategy);
    let worker = WorkerBuilder::new(context.clone()).backend(backend).build(intake);
    let mut events = pin!(worker.stream());
    let mut stopping = false;
    loop {
        tokio::select! {
            biased;
            () = stop.cancelled(), if !stopping => {
                stopping = true;
                if context.stop().is_err() {
                    return End::Stopped;
                }
            }
            event = events.next() => match event {
                Some(Err(_) | Ok(Event::Exit)) | None if stopping => return End::Stopped,
                Some(Err(error)) => return End::Failed(error.to_string()),
                Some(Ok(Event::Exit)) | None => return End::Failed("the apalis worker ended".to_owned()),
                Some(Ok(_)) => {}
            }
        }
    }
}

fn config(options: &QueueOptions) -> Config {
    Config {
        batch_size: 1,
        heartbeat_interval: options.heartbeat,
        missed_heartbeats: options.missed_heartbeats as usize,
        // Both done by `settle`, fenced.
        lock_tasks: false,
        persist_results: false,
        ..Config::default().queue(&options.name)
    }
}
