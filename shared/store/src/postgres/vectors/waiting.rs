//! Waits for Postgres in synchronous calls.
//!
//! A separate runtime drives the connections, so any thread may wait. A thread of a multi-threaded runtime hands over
//! its other tasks meanwhile.

use std::future::Future;

use kimberly_core::error::{Error, Result, StorageFailure};
use tokio::runtime::{Builder, Handle, Runtime, RuntimeFlavor};

/// The runtime.
pub(super) struct Waiting(Option<Runtime>);

impl Waiting {
    /// Starts the runtime's thread.
    pub(super) fn new() -> Result<Self> {
        let runtime = Builder::new_multi_thread().worker_threads(1).thread_name("vectors").enable_all().build();
        let failed = |error| Error::storage(StorageFailure::Unavailable, format!("starting a thread: {error}"));
        runtime.map(|runtime| Self(Some(runtime))).map_err(failed)
    }

    fn handle(&self) -> Result<&Handle> {
        self.0.as_ref().map(Runtime::handle).ok_or_else(stopped)
    }

    /// Waits for work to finish.
    pub(super) fn wait<T: Send>(&self, work: impl Future<Output = Result<T>> + Send) -> Result<T> {
        let handle = self.handle()?;
        match Handle::try_current().map(|current| current.runtime_flavor()) {
            Ok(RuntimeFlavor::MultiThread) => tokio::task::block_in_place(|| handle.block_on(work)),
            // A thread that already drives a single-threaded runtime must not block on another; a helper thread does.
            Ok(_) => std::thread::scope(|scope| {
                scope.spawn(|| handle.block_on(work)).join().unwrap_or_else(|_| Err(stopped()))
            }),
            Err(_) => handle.block_on(work),
        }
    }

    /// Runs work on the runtime, which the caller can await.
    pub(super) async fn spawn<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T>> + Send + 'static,
    ) -> Result<T> {
        self.handle()?.spawn(work).await.unwrap_or_else(|_| Err(stopped()))
    }

    /// Runs work in the background.
    pub(super) fn go_on(&self, work: impl Future<Output = ()> + Send + 'static) {
        if let Ok(handle) = self.handle() {
            drop(handle.spawn(work));
        }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        // A runtime must not be shut down synchronously inside another one.
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

fn stopped() -> Error {
    Error::storage(StorageFailure::Unavailable, "work on vectors was aborted: shutting down")
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn seven() -> Result<u8> {
        tokio::time::sleep(std::time::Duration::from_millis(1)).await;
        Ok(7)
    }

    #[test]
    fn one_can_wait_outside_of_any_runtime() {
        assert_eq!(Waiting::new().unwrap().wait(seven()).unwrap(), 7);
    }

    #[tokio::test]
    async fn one_can_wait_on_the_only_thread_of_a_runtime() {
        assert_eq!(Waiting::new().unwrap().wait(seven()).unwrap(), 7);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn others_go_on_while_a_thread_of_a_runtime_waits() {
        let waiting = Waiting::new().unwrap();
        let (tell, told) = tokio::sync::oneshot::channel();
        let (begun, started) = tokio::sync::oneshot::channel();
        let waits = tokio::spawn(async move {
            let ended = waiting.wait(async {
                let _ = begun.send(());
                told.await.map_err(|_| stopped())
            });
            ended.unwrap()
        });
        started.await.unwrap();
        tell.send(7).unwrap();
        assert_eq!(waits.await.unwrap(), 7);
        let waiting = Waiting::new().unwrap();
        let blocking = tokio::task::spawn_blocking(move || waiting.wait(seven()).unwrap());
        assert_eq!(blocking.await.unwrap(), 7);
    }
}
