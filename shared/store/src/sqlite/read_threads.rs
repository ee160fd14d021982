//! The threads that read vaults.
//!
//! A read runs on one thread with all of its statements. If its deadline passes or its caller is gone, its statement is
//! cancelled within a millisecond.
//!
//! These threads have a lower priority. When all processors are busy with recalls, a call that needs microseconds, such
//! as a refusal under overload, would wait for several time slices. Writes keep their priority, because others wait for
//! their locks.

use std::io;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use futures::future::{Either, select};
use kimberly_core::error::{Error, Result, StorageFailure};
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::oneshot;
use tracing::{Instrument as _, Span};

use crate::blocking::on_blocking_thread;

/// Reads that may run or wait for a connection at the same time; further ones wait for a thread.
const THREADS: usize = 512;
/// Added niceness; each step is about a fifth less processor time under contention.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 5;

/// Runs a read, which gets a flag that is set when it should end because its caller is gone. It then also ends where it
/// waits, such as for a connection.
pub(crate) async fn run<T, F>(read: impl FnOnce(Arc<AtomicBool>) -> F + Send + 'static) -> Result<T>
where
    T: Send + 'static,
    F: Future<Output = Result<T>>,
{
    let threads = threads()
        .as_ref()
        .map_err(|error| Error::storage(StorageFailure::Unavailable, format!("starting threads that read: {error}")))?;
    let (stays, leaves) = oneshot::channel();
    let caller = Caller { gone: Arc::default(), _stays: stays };
    let (gone, runtime, span) = (Arc::clone(&caller.gone), Handle::current(), Span::current());
    let read = move || async move {
        let read = pin!(read(gone).instrument(span));
        match select(leaves, read).await {
            Either::Left(_) => Err(cut_off("its caller is gone")),
            Either::Right((done, _)) => done,
        }
    };
    let done = threads.spawn_blocking(move || on_blocking_thread(|| runtime.block_on(read()))).await;
    drop(caller);
    done.unwrap_or_else(|error| match error.try_into_panic() {
        Ok(panic) => std::panic::resume_unwind(panic),
        Err(_) => Err(cut_off("shutting down")),
    })
}

fn cut_off(why: &str) -> Error {
    Error::storage(StorageFailure::Unavailable, format!("a read was cut off: {why}"))
}

/// Sets the flag, and closes the channel, when the caller stops waiting.
struct Caller {
    gone: Arc<AtomicBool>,
    _stays: oneshot::Sender<()>,
}

impl Drop for Caller {
    fn drop(&mut self) {
        self.gone.store(true, Ordering::Relaxed);
    }
}

/// A runtime that only has threads for blocking work, apart from those of the caller's runtime, whose priority stays.
fn threads() -> &'static io::Result<Runtime> {
    static THREADS_OF_READS: OnceLock<io::Result<Runtime>> = OnceLock::new();
    THREADS_OF_READS.get_or_init(|| {
        // Threads inherit the priority of the thread that starts them, so each gets the same one.
        let priority = lower_priority();
        let mut builder = Builder::new_current_thread();
        builder
            .max_blocking_threads(THREADS)
            .thread_name("read")
            .on_thread_start(move || take_priority(priority))
            .build()
    })
}

/// Returns a lower priority than that of this thread; `None` if that is unknown.
#[cfg(target_os = "linux")]
fn lower_priority() -> Option<i32> {
    // On Linux these calls accept thread ids.
    let own = rustix::process::getpriority_process(Some(rustix::thread::gettid())).ok()?;
    Some(own.saturating_add(NICENESS).min(19))
}

/// Gives this thread a priority. Lowering it is always allowed; a failure does no harm.
#[cfg(target_os = "linux")]
fn take_priority(priority: Option<i32>) {
    if let Some(priority) = priority {
        let _ = rustix::process::setpriority_process(Some(rustix::thread::gettid()), priority);
    }
}

#[cfg(not(target_os = "linux"))]
fn lower_priority() -> Option<i32> {
    None
}

#[cfg(not(target_os = "linux"))]
fn take_priority(_: Option<i32>) {}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use crate::blocking::off_thread;

    #[tokio::test]
    async fn only_threads_of_reads_have_a_lower_priority() {
        let niceness = || rustix::process::getpriority_process(Some(rustix::thread::gettid())).unwrap();
        let before = niceness();
        let lower = (before + NICENESS).min(19);
        let read = async move |_| Ok((niceness(), off_thread(niceness).await?));
        assert_eq!(run(read).await.unwrap(), (lower, lower), "blocking work of a read stays on its thread");
        assert_eq!(niceness(), before);
        assert_eq!(off_thread(niceness).await.unwrap(), before);
    }
}
