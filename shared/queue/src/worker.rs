//! One run of an apalis worker: from registration to a stop or a database error.

use std::{convert::Infallible, panic::AssertUnwindSafe};

use apalis_core::{
    backend::codec::Codec,
    worker::{context::WorkerContext, event::Event},
};
use futures::{FutureExt, StreamExt, stream::BoxStream};
use tokio_util::sync::CancellationToken;

use crate::{poll::BellAndInterval, service::Intake, shared::Shared};

/// The events of an apalis worker, which runs while this stream is polled.
pub(crate) type Events = BoxStream<'static, Result<Event, String>>;

/// Passes payloads through: apalis's worker would end on one that it cannot decode.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Raw;

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
    /// A stop was requested.
    Stopped,
    /// This error occurred.
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
    let mut events = shared.database.consume(context.clone(), strategy, intake, &shared.options);
    let mut stopping = false;
    let full = shared.database.is_full();
    tokio::pin!(full);
    loop {
        tokio::select! {
            biased;
            reason = &mut full => return End::Failed(reason),
            () = stop.cancelled(), if !stopping => {
                stopping = true;
                if context.stop().is_err() {
                    return End::Stopped;
                }
            }
            event = events.next() => match event {
                Some(Err(_) | Ok(Event::Exit)) | None if stopping => return End::Stopped,
                Some(Err(error)) => return End::Failed(error),
                Some(Ok(Event::Exit)) | None => return End::Failed("the apalis worker ended".to_owned()),
                Some(Ok(_)) => {}
            }
        }
    }
}
