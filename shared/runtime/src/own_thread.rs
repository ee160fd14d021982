//! Runs work with long computations off the threads that serve everything else.

use std::future::Future;
use std::panic::resume_unwind;

use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

/// Runs `work` on its own thread; `None` if the process is stopping. Dropping the returned future drops `work` at its
/// next await point; a panic is propagated.
pub async fn on_own_thread<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> Option<T> {
    let cut = CancellationToken::new();
    let _cut_on_drop = cut.clone().drop_guard();
    let runtime = Handle::current();
    let thread = tokio::task::spawn_blocking(move || {
        runtime.block_on(async {
            tokio::select! {
                biased;
                () = cut.cancelled() => None,
                done = work => Some(done),
            }
        })
    });
    match thread.await {
        Ok(done) => done,
        Err(error) if error.is_panic() => resume_unwind(error.into_panic()),
        Err(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn work_that_computes_does_not_hold_up_the_rest() {
        let (send, receive) = std::sync::mpsc::channel();
        // Starts first, and completes only after the other future, on the runtime's single thread, has run.
        let work = on_own_thread(async move { receive.recv().unwrap() });
        let (worked, ()) = tokio::join!(work, async move { send.send(7).unwrap() });
        assert_eq!(worked, Some(7));
    }

    #[tokio::test]
    async fn dropping_it_drops_the_work_at_its_next_wait() {
        struct Flag(Arc<AtomicBool>);
        impl Drop for Flag {
            fn drop(&mut self) {
                self.0.store(true, Ordering::Release);
            }
        }
        let dropped = Arc::new(AtomicBool::new(false));
        let flag = Flag(Arc::clone(&dropped));
        let work = on_own_thread(async move {
            let _flag = flag;
            std::future::pending::<()>().await;
        });
        assert!(tokio::time::timeout(Duration::from_millis(50), work).await.is_err());
        let gone = async {
            while !dropped.load(Ordering::Acquire) {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        assert!(tokio::time::timeout(Duration::from_secs(5), gone).await.is_ok());
    }
}
